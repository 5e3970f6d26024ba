// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

/// Code that is generated from `Generated/awkward.xml`, an interface with colliding names and keywords.
@Suite struct GeneratedCodeTests {
  private static let path: ObjectPath = "/org/example/awkward"

  /// Two connections, an object that one of them exports, and a proxy for it on the other.
  private func connected() throws -> (Peers, Awkward, ExportedObject, Awkward1Proxy) {
    let (peers, awkward) = (try Peers(), Awkward())
    let object = peers.service.objects.export(Self.path, Implementation(of: Awkward.interface, by: awkward))
    return (
      peers, awkward, object, Awkward1Proxy(on: peers.client, destination: peers.service.uniqueName, path: Self.path)
    )
  }

  @Test func `members with similar names remain distinct`() throws {
    let (peers, awkward, object, proxy) = try connected()
    var results: [String] = []
    proxy.state { results.append("method \((try? $0.get()) ?? 0)") }
    proxy.readStateProperty { results.append("property \((try? $0.get()) ?? 0)") }
    proxy.readInterfaceProperty { results.append("interface \((try? $0.get()) ?? "")") }
    proxy.readFooBar { results.append("fooBar \((try? $0.get()) ?? 0)") }
    proxy.readFooBarProperty { results.append("FooBar \((try? $0.get()) ?? 0)") }
    proxy.readFoo_barProperty2 { results.append("foo_bar \((try? $0.get()) ?? 0)") }
    proxy.readActiveProperty { results.append("active \((try? $0.get()) ?? false)") }
    let match = proxy.onStateSignal { results.append("signal \($0) \($1)") }
    try peers.settle()
    object.emit(Awkward1Interface.stateSignal, of: Awkward1Interface.interface, .uint32(3), .uint32(4))
    try turning("all are answered") { results.count == 8 }
    #expect(
      results == [
        "method 1", "property 2", "interface wlan0", "fooBar 5", "FooBar 6", "foo_bar 7", "active true", "signal 3 4",
      ])
    withExtendedLifetime((awkward, match)) {}
  }

  @Test func `arguments may be keywords and have the names of options`() throws {
    let (peers, awkward, _, proxy) = try connected()
    var result: (`self`: String, `class`: String)?
    proxy.`init`(timeout2: 1, interactive2: true, call: "c", in: "i", timeout: .never, interactive: true) {
      result = try? $0.get()
    }
    try turning("the call is answered") { result != nil }
    #expect(result?.`self` == "1 true" && result?.`class` == "c i")
    withExtendedLifetime((peers, awkward)) {}
  }

  @Test func `a write-only property is written but not read`() throws {
    let (peers, awkward, _, proxy) = try connected()
    var (error, all): (ErrorName?, [String: Value]?)
    proxy.writeSecretProperty("word")
    proxy.proxy.get(Awkward1Interface.secretProperty) {
      if case .failure(let failure) = $0 { error = failure.error.name }
    }
    proxy.proxy.getAll { all = try? $0.get() }
    try turning("all are answered") { all != nil }
    #expect(awkward.secret == "word" && error == .accessDenied)
    #expect(all?["default"] == .string("d") && all?["Secret"] == nil)
    withExtendedLifetime(peers) {}
  }

  @Test func `a method with the annotation NoReply is called without a reply`() throws {
    let (peers, awkward, _, proxy) = try connected()
    proxy.forget(count: 2)
    try turning("the call is received") { !awkward.forgotten.isEmpty }
    #expect(awkward.forgotten[0] == (2, 0))
    withExtendedLifetime(peers) {}
  }
}

private final class Awkward: Awkward1Skeleton {
  static let interface = Awkward.awkward1Table()

  var secret = ""
  var forgotten: [(count: UInt32, bytesSent: Int)] = []
  let stateProperty: UInt32 = 2
  let interfaceProperty = "wlan0"
  let isActiveProperty = true
  let `default` = "d"
  let proxyProperty = ""
  let (fooBar, fooBarProperty, fooBarProperty2): (UInt32, UInt32, UInt32) = (5, 6, 7)

  func state(_ call: MethodCall) { call.reply(.uint32(1)) }

  func `init`(_ timeout: UInt32, _ interactive: Bool, _ call2: String, _ `in`: String, _ call: MethodCall) {
    call.reply(.string("\(timeout) \(interactive)"), .string("\(call2) \(`in`)"))
  }

  func selfMethod(_ argument0: String, _ argument02: String, _ argument2: String, _ call: MethodCall) {}
  func type(_ call: MethodCall) {}
  func isActive(_ call: MethodCall) {}
  func readSecret(_ call: MethodCall) {}
  func _1(_ call: MethodCall) {}
  // swift-format-ignore: AlwaysUseLowerCamelCase
  func __(_ call: MethodCall) {}
  func `fallthrough`(_ _2nd: String, _ call: MethodCall) {}
  func overloaded(_ a: String, _ call: MethodCall) {}
  func overloadedMethod(_ call: MethodCall) {}

  func forget(_ count: UInt32, _ call: MethodCall) {
    call.onAnswered = { bytes in self.forgotten.append((count, bytes)) }
    call.reply()
  }

  func writeSecretProperty(_ value: String, _ call: MethodCall) {
    secret = value
    call.reply()
  }

  func writeDefault(_ value: String, _ call: MethodCall) {}
}
