// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

extension LocationService {
  static let interface = Interface<LocationService>(
    ServiceContract.manager,
    [
      .method("GetLocation", in: ["options": "a{sv}"], out: ["location": "a{sv}"]) {
        service, call throws(DBusError) in
        let options = try OptionReader.read(call.arguments[0], ClientOption.ofRequest)
        service.withClient(of: call) { client in
          LocationRequest(call, from: client, options, in: service).begin()
        }
      },
      .method("CreateSubscription", in: ["options": "a{sv}"], out: ["subscription": "o"]) {
        service, call throws(DBusError) in
        let options = try OptionReader.read(call.arguments[0], ClientOption.ofSubscription)
        service.create(call) { client throws(DBusError) in try service.createSubscription(for: client, options) }
      },
      .method("CreateRegion", in: ["options": "a{sv}"], out: ["region": "o"]) {
        service, call throws(DBusError) in
        let options = try OptionReader.read(call.arguments[0], ClientOption.ofRegion)
        let configuration = try OptionReader.configuration(of: options.region)
        service.create(call) { client throws(DBusError) in
          try service.createRegion(for: client, options, configuration)
        }
      },
      .method("GetAlmanac", in: ["options": "a{sv}"], out: ["almanac": "a{sv}"]) { service, call throws(DBusError) in
        let options = try OptionReader.almanac(call.arguments[0], ClientOption.ofAlmanacRequest)
        service.withClient(of: call) { client in
          AlmanacRequest(call, from: client, options, in: service).begin()
        }
      },
      .method("CreateAlmanac", in: ["options": "a{sv}"], out: ["almanac": "o"]) { service, call throws(DBusError) in
        let options = try OptionReader.almanac(call.arguments[0], ClientOption.ofAlmanac)
        service.create(call) { client throws(DBusError) in try service.createAlmanac(for: client, options) }
      },
      .method("RequestAuthorization", in: ["options": "a{sv}"], out: ["status": "s", "reason": "s"]) {
        service, call throws(DBusError) in
        let options = try OptionReader.read(call.arguments[0], ClientOption.ofAuthorization)
        service.withClient(of: call) { client in
          AuthorizationRequest(call, from: client, options, in: service).begin()
        }
      },
      .method("ListSubscriptions", out: ["subscriptions": "aa{sv}"]) { service, call in
        service.withClient(of: call) { client in
          guard let user = client.credentials?.userID else { return }
          service.clients.list.answer(call, of: user) {
            service.clients.objects.filter { user == 0 || $0.client.credentials?.userID == user }.map(\.listEntry)
          }
        }
      },

      .property("Version", "s", emits: .const) { _ in .string(ProgramVersion.current) },
      .property("Limits", "a{su}", emits: .const) { $0.clients.limits.value },
      .property("State", "s", emits: .changed) { .string($0.sourceStatus.state.rawValue) },
      .property("StateReason", "s", emits: .changed) { .string($0.sourceStatus.reason.rawValue) },
      .property("StateMessage", "s", emits: .nothing) { .string($0.sourceStatus.message) },
      .property("AvailableAccuracy", "s", emits: .changed) { .string($0.sourceStatus.availableAccuracyName) },
      .property("InUse", "b", emits: .changed) { .boolean($0.isInUse) },
      authorization("AuthorizationStatus") { $0.status.rawValue },
      authorization("AuthorizationReason") { $0.reason.rawValue },
      authorization("AuthorizationMessage") { $0.message },
    ])

  /// A property that depends on the caller's authorization.
  private static func authorization(
    _ name: MemberName, _ text: @escaping (Authorization) -> String
  ) -> InterfaceMember<LocationService> {
    .property(name, "s", emits: .nothing, readLater: { service, request in service.readAuthorization(request, text) })
  }

  /// Creates an object for the caller and answers with its path.
  private func create(_ call: MethodCall, _ make: @escaping (Client) throws(DBusError) -> ObjectPath) {
    withClient(of: call) { [weak self] client in
      do throws(DBusError) {
        call.reply(.objectPath(try make(client)))
        // Do not wait: the owner is told the result.
        self?.gatekeeper.prepare(client, since: call.arrivedAt) {}
      } catch {
        call.fail(error)
      }
    }
  }

  /// Calls `body` once the caller's user is known. Refuses the call if the bus does not report it.
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
    guard let sender = request.sender else { return }
    let client = clients.client(sender)
    client.whenKnown { [weak self] _ in
      self?.prepare(client, since: request.arrivedAt) { [weak self] in
        guard let self else { return }
        request.answer(.string(text(gatekeeper.authorization(for: client, asking: .exact, as: ""))))
      }
    }
  }
}
