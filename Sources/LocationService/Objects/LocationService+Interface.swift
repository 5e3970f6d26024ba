// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

extension LocationService: Location1Skeleton {
  static let interface = LocationService.location1Table()

  func getLocation(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.read(options, ClientOption.ofRequest)
    withClient(of: call) { client in LocationRequest(call, from: client, options, in: self).begin() }
  }

  func createSubscription(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.read(options, ClientOption.ofSubscription)
    create(.subscription, call) { LocationSubscription($0, of: $1, options, in: self) }
  }

  func createRegion(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.read(options, ClientOption.ofRegion)
    let configuration = try OptionReader.configuration(of: options.region)
    create(.region, call) { MonitoredRegion($0, of: $1, options, configuration, in: self) }
  }

  func getAlmanac(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.almanac(options, ClientOption.ofAlmanacRequest)
    withClient(of: call) { client in AlmanacRequest(call, from: client, options, in: self).begin() }
  }

  func createAlmanac(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.almanac(options, ClientOption.ofAlmanac)
    create(.almanac, call) { ClientAlmanac($0, of: $1, options, in: self) }
  }

  func requestAuthorization(_ options: Value, _ call: MethodCall) throws(DBusError) {
    let options = try OptionReader.read(options, ClientOption.ofAuthorization)
    withClient(of: call) { client in AuthorizationRequest(call, from: client, options, in: self).begin() }
  }

  /// While a user floods dbus-daemon, dbus-daemon takes 4 KiB at a time from the service, so a longer list would delay
  /// the answers to all users by more than 200 ms.
  private static let largestList = 256

  func listSubscriptions(_ call: MethodCall) {
    withClient(of: call) { [clients] client in
      guard let user = client.credentials?.userID else { return }
      clients.list.answer(call, of: user) {
        let listed = clients.objects.filter { user == 0 || $0.client.credentials?.userID == user }
        return listed.suffix(user == 0 ? .max : Self.largestList).map(\.listEntry)
      }
    }
  }

  var version: String { ProgramVersion.current }
  var limits: Value { admission.limits.value }
  var state: String { sourceStatus.state.rawValue }
  var stateReason: String { sourceStatus.reason.rawValue }
  var stateMessage: String { sourceStatus.message }
  var availableAccuracy: String { sourceStatus.availableAccuracyName }
  func readAuthorizationStatus(_ request: PropertyRead) { readAuthorization(request) { $0.status.rawValue } }
  func readAuthorizationReason(_ request: PropertyRead) { readAuthorization(request) { $0.reason.rawValue } }
  func readAuthorizationMessage(_ request: PropertyRead) { readAuthorization(request) { $0.message } }

  /// Creates an object for the caller and answers with its path.
  private func create(_ kind: ObjectKind, _ call: MethodCall, _ make: @escaping (UInt64, Client) -> any OwnedObject) {
    withClient(of: call) { [weak self] client in
      guard let self else { return }
      do throws(DBusError) {
        // The service is exiting, so nothing would close the object.
        guard !isEnding else { throw .ending }
        try clients.reserve(kind, for: client)
        let object = make(numbers.next(), client)
        client.add(object)
        call.reply(.objectPath(object.path))
        // Do not wait, because the result is sent to the owner later.
        gatekeeper.prepare(client, since: call.arrivedAt) {}
      } catch {
        call.fail(error)
      }
    }
  }

  /// Calls `body` once the caller's user is known. Refuses the call if the bus does not report the user.
  private func withClient(of call: MethodCall, _ body: @escaping (Client) -> Void) {
    let client = clients.client(call.sender)
    client.whenKnown { [weak self] credentials in
      guard let self, clients.isHere(client) else { return }
      guard credentials != nil else { return call.fail(.notAuthorized(.refused(.policyUnavailable))) }
      body(client)
    }
  }

  /// Runs `action` if the caller is root or the service's own user, and refuses the call otherwise.
  func asAdministrator(_ call: MethodCall, _ action: @escaping () -> Void) {
    clients.client(call.sender).whenKnown { credentials in
      if let user = credentials?.userID, user == 0 || user == UserID.own { return action() }
      call.fail(DBusError(.accessDenied, "Only root may change the log settings"))
    }
  }

  private func readAuthorization(_ request: PropertyRead, _ text: @escaping (Authorization) -> String) {
    guard let sender = request.sender,
      // A client that has left is not known again.
      let client = request.isRepeated ? clients.known(sender) : clients.client(sender)
    else { return }
    let answer = { [weak self] in
      guard let self else { return }
      request.answer(.string(text(gatekeeper.access(for: client, asking: .exact, as: "").authorization)))
    }
    guard !request.isRepeated else { return answer() }
    client.whenKnown { [weak self] _ in self?.prepare(client, since: request.arrivedAt, answer) }
  }
}
