import DBus
import LocationModel
import MainLoop

/// One call of `RequestAuthorization` that waits until it is decided what the caller may have.
final class AuthorizationRequest: PendingRequest {
  private let call: MethodCall
  private let consumer: Consumer
  private let options: AuthorizationOptions
  private unowned let service: LocationService
  private var isWaiting = true
  private var timer: LoopSource?
  private var counted: AccuracyLevel?

  /// A little less than the 5 s in which a call has to be answered.
  private static let deadline: Int64 = 4_500

  init(_ call: MethodCall, from consumer: Consumer, _ options: AuthorizationOptions, in service: LocationService) {
    self.call = call
    self.consumer = consumer
    self.options = options
    self.service = service
  }

  func begin() {
    guard service.gatekeeper.decidesByListening else { return answer() }
    consumer.add(self)
    timer = MainLoop.main.after(milliseconds: Self.deadline) { [weak self] in self?.answer() }
    count(options.accuracy)
    refresh()
  }

  func refresh() {
    guard isWaiting else { return }
    let status = service.upstreamStatus
    if authorization.reason != .undecided || status.state == .unavailable { answer() }
  }

  func abandon() { end() }

  func shutDown() { answer() }

  private var authorization: Authorization {
    service.gatekeeper.authorization(for: consumer, asking: options.accuracy, as: options.desktopID)
  }

  private func answer() {
    guard isWaiting else { return }
    let authorization = authorization
    end()
    call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
  }

  private func end() {
    guard isWaiting else { return }
    isWaiting = false
    timer = nil
    consumer.remove(self)
    count(nil)
  }

  private func count(_ level: AccuracyLevel?) {
    guard level != counted else { return }
    let before = counted
    counted = level
    service.moveDemand(from: before, to: level)
  }
}
