import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop
import Publishing

/// One call of `GetLocation` that waits for a fix, for a decision, or for its timeout.
final class LocationRequest: PendingRequest {
  private let call: MethodCall
  private let client: Client
  private let options: RequestOptions
  private unowned let service: LocationService
  private var isWaiting = true
  /// The facts about the caller have been gathered; what is said of it before may be old.
  private var isPrepared = false
  private var fixes: AnyCancellable?
  private var running: AccuracyLevel?
  private var timer: LoopSource?
  private var refreshTimer: LoopSource?
  private var demand = DemandShare()
  private var isReceiving = false
  /// A fix that waits until the authorization has been confirmed.
  private var held: Fix?

  init(_ call: MethodCall, from client: Client, _ options: RequestOptions, in service: LocationService) {
    self.call = call
    self.client = client
    self.options = options
    self.service = service
  }

  /// Answers at once, or begins to wait.
  func begin() {
    client.add(self)
    timer = MainLoop.main.after(milliseconds: Int64(options.timeout)) { [weak self] in self?.timeIsUp() }
    if options.maximumAge > 0 {
      // A source that is silent because nothing moves hands over what it has when it is asked. Who wants only what is
      // measured from now on waits for that.
      refreshTimer = MainLoop.main.after(milliseconds: min(3_000, Int64(options.timeout) / 2)) { [weak self] in
        self?.service.askForFix()
      }
    }
    service.gatekeeper.prepare(client) { [weak self] in
      self?.isPrepared = true
      self?.refresh()
    }
  }

  func refresh() {
    guard isWaiting, isPrepared else { return }
    let authorization = authorization
    switch authorization.status {
    case .restricted, .denied: return refuse(authorization)
    case .notDetermined: break
    case .authorizedWhenInUse, .authorizedAlways:
      let isHeld = service.gatekeeper.isHeld(client)
      if !isHeld, let fix = held ?? (running == nil ? cachedFix : nil) { return answer(with: fix) }
    }
    demand.change(to: neededLevel, in: service)
    guard isWaiting else { return }
    let status = service.upstreamStatus
    // Neither changes while somebody waits.
    let isFinal = status.reason == .geoclueNotInstalled || status.reason == .disallowedByConfiguration
    if neededLevel != nil, status.state == .unavailable, isFinal {
      return fail(.unavailable(status.reason))
    }
    listen(at: authorization.isAuthorized ? level : nil)
  }

  func abandon() { end() }

  func shutDown() { fail(DBusError(.unavailable, "The service is ending; call again to start it anew")) }

  private var authorization: Authorization {
    service.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
  }

  private var level: AccuracyLevel { authorization.revealedLevel(asked: options.accuracy) }

  private var neededLevel: AccuracyLevel? {
    if authorization.isAuthorized { return level }
    return service.gatekeeper.decidesByListening ? options.accuracy : nil
  }

  /// The service's last fix, if it is not too old and the caller may have it now.
  private var cachedFix: Fix? {
    guard options.maximumAge > 0, authorization.isAuthorized, let fix = service.fixes.newest(for: level),
      fix.age(at: MainLoop.main.clock.boottime()) <= options.maximumAge
    else { return nil }
    return fix
  }

  private func listen(at level: AccuracyLevel?) {
    guard level != running else { return }
    running = level
    fixes = level.map { level in
      service.fixes.fixes(for: level).sink { [weak self] fix in self?.answer(with: fix) }
    }
    if (level != nil) != isReceiving {
      isReceiving.toggle()
      service.receiverCountChanged(by: isReceiving ? 1 : -1)
    }
  }

  private func answer(with fix: Fix) {
    guard isWaiting else { return }
    // Checked at the moment of the answer, whatever was so before.
    let authorization = authorization
    guard authorization.isAuthorized, fix.level <= level else {
      held = nil
      return refresh()
    }
    guard !service.gatekeeper.isHeld(client) else {
      held = fix
      return
    }
    audit(authorization)
    let value = fix.value(
      isReduced: authorization.level < options.accuracy, age: fix.age(at: MainLoop.main.clock.boottime()))
    end()
    call.reply(value)
  }

  private func refuse(_ authorization: Authorization) {
    guard isWaiting else { return }
    audit(authorization)
    fail(.notAuthorized(authorization))
  }

  private func audit(_ authorization: Authorization) {
    AuditLog.note(authorization, for: client, asking: options.accuracy, as: options.desktopID)
  }

  private func fail(_ error: DBusError) {
    guard isWaiting else { return }
    end()
    call.fail(error)
  }

  private func timeIsUp() {
    let (authorization, status) = (authorization, service.upstreamStatus)
    // Where GeoClue decides, one that does not answer has not refused anything.
    let isOpen = service.gatekeeper.decidesByListening && authorization.reason == .undecided
    if status.state == .unavailable, isOpen || authorization.isAuthorized {
      fail(.unavailable(status.reason))
    } else if !authorization.isAuthorized {
      refuse(authorization)
    } else {
      fail(.timeout)
    }
  }

  private func end() {
    guard isWaiting else { return }
    isWaiting = false
    timer = nil
    refreshTimer = nil
    listen(at: nil)
    client.remove(self)
    demand.change(to: nil, in: service)
  }
}
