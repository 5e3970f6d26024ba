import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One call of `RequestAuthorization` that waits until it is decided what the caller may have.
final class AuthorizationRequest: PendingRequest {
  private let call: MethodCall
  private let client: Client
  private let options: AuthorizationOptions
  private unowned let service: LocationService
  private var isWaiting = true
  private var isPrepared = false
  private var timer: LoopSource?
  private var prompt: Prompt?
  private var isAsking = false
  private var demand = DemandShare()

  /// A little less than the 120 s in which a call that shows a dialog has to be answered.
  private static let dialogTime: Int64 = 119_000

  init(_ call: MethodCall, from client: Client, _ options: AuthorizationOptions, in service: LocationService) {
    self.call = call
    self.client = client
    self.options = options
    self.service = service
  }

  func begin() {
    client.add(self)
    timer = MainLoop.main.after(milliseconds: gatheringTime) { [weak self] in self?.answer() }
    if service.gatekeeper.decidesByListening { demand.change(to: options.accuracy, in: service) }
    service.gatekeeper.prepare(client) { [weak self] in
      self?.isPrepared = true
      self?.refresh()
    }
  }

  func refresh() {
    guard isWaiting, isPrepared, !isAsking else { return }
    let isHopeless = service.gatekeeper.decidesByListening && service.upstreamStatus.state == .unavailable
    guard authorization.reason != .undecided || isHopeless else { return }
    if call.allowsInteractiveAuthorization, wouldAsk { ask() } else { answer() }
  }

  func abandon() { end() }

  func shutDown() { answer() }

  private var authorization: Authorization {
    service.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
  }

  private var wouldAsk: Bool {
    service.gatekeeper.wouldAsk(client, asking: options.accuracy, as: options.desktopID)
  }

  private func ask() {
    guard client.pendingPrompts < service.limits[.promptsPerConnection] else {
      end()
      return call.fail(.limitsExceeded(.promptsPerConnection))
    }
    isAsking = true
    client.pendingPrompts += 1
    timer = MainLoop.main.after(milliseconds: Self.dialogTime) { [weak self] in self?.answer() }
    let prompt = service.gatekeeper.ask(client, asking: options.accuracy, as: options.desktopID) {
      [weak self] authorization in self?.answer(authorization)
    }
    if isWaiting { self.prompt = prompt }
  }

  private func answer() {
    let authorization = authorization
    if authorization.reason == .authorizationRequired, !call.allowsInteractiveAuthorization, isWaiting {
      end()
      return call.fail(DBusError(.interactiveAuthorizationRequired, authorization.sentence))
    }
    answer(authorization)
  }

  private func answer(_ authorization: Authorization) {
    guard isWaiting else { return }
    end()
    AuditLog.note(authorization, for: client, asking: options.accuracy, as: options.desktopID)
    call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
  }

  private func end() {
    guard isWaiting else { return }
    isWaiting = false
    timer = nil
    if isAsking { client.pendingPrompts -= 1 }
    prompt?.cancel()
    prompt = nil
    client.remove(self)
    demand.change(to: nil, in: service)
  }
}
