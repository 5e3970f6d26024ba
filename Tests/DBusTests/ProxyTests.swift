// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

@Suite struct ProxyTests {
  private static let service: BusName = "org.example.Service"

  private func proxy(on peers: Peers) -> Proxy {
    Proxy(on: peers.client, destination: Self.service, path: Sample.path, interface: Sample.name)
  }

  @Test func `a proxy calls methods and reads and writes properties`() throws {
    let (peers, sample) = try Peers.withSample()
    try peers.service.own(Self.service)
    let proxy = proxy(on: peers)
    var told: [String] = []
    proxy.call("Add", .uint32(40), .uint32(2), expecting: "t") { told.append("\((try? $0.get()) ?? [])") }
    proxy.set("Title", to: .string("second")) { told.append((try? $0.get()) == nil ? "failed" : "set") }
    proxy.get("Title") { told.append((try? $0.get())?.string ?? "?") }
    proxy.get("Unheard") { result in if case .failure(let failure) = result { told.append(failure.error.name.rawValue) }
    }
    var refused: ErrorName?
    proxy.call("Nothing", .string("a\0b")) { result in
      if case .failure(let failure) = result { refused = failure.error.name }
    }
    try turning("all are answered") { told.count == 4 && refused != nil }
    #expect(told == ["\([Value.uint64(42)])", "set", "second", ErrorName.unknownProperty.rawValue])
    #expect(refused == .invalidArgs)
    sample.reads = []
    var all: [String: Value] = [:]
    proxy.getAll { all = (try? $0.get()) ?? [:] }
    try turning("the deferred property is requested") { !sample.reads.isEmpty }
    sample.reads.removeFirst().answer(.string("late"))
    try turning("all are read") { !all.isEmpty }
    #expect(all["Title"] == .string("second") && all["Deferred"] == .string("late"))
  }

  @Test func `a proxy follows signals and properties across a restart of the service`() throws {
    let peers = try Peers()
    let proxy = proxy(on: peers)
    var heard: [String] = []
    var titles: [String] = []
    proxy.onSignal("Happened") { heard.append($0.arguments[0].string ?? "") }.keep()
    let watch = proxy.onProperties { if let title = $0["Title"]?.string { titles.append(title) } }
    try peers.settle()
    #expect(titles.isEmpty, "nothing starts the service")

    let other = try peers.connect()
    for (connection, title) in [(peers.service, "one"), (other, "two")] {
      let sample = Sample()
      sample.title = title
      let object = sample.export(on: connection)
      try connection.own(Self.service)
      try turning("the deferred property is requested") { !sample.reads.isEmpty }
      sample.reads = []
      try turning("the properties of \(title) are read") { titles.last == title }
      sample.title = title + " changed"
      object.propertyChanged("Title", of: Sample.name)
      object.emit("Happened", of: Sample.name, .string("in " + title))
      try turning("both arrive") { titles.last == title + " changed" && heard.last == "in " + title }
      connection.release(Self.service)
      try peers.settle()
      object.emit("Happened", of: Sample.name, .string("from an outsider"))
      try peers.settle()
    }
    #expect(heard == ["in one", "in two"])
    #expect(titles == ["one", "one changed", "two", "two changed"])
    watch.cancel()
    other.close()
  }

  @Test func `a proxy reads an invalidated property again`() throws {
    final class Owner { var number: UInt32 = 1 }
    let peers = try Peers()
    let owner = Owner()
    let object = peers.service.objects.export(
      Sample.path,
      Implementation(
        of: Interface<Owner>(Sample.name, [.property("Number", "u", emits: .invalidates) { .uint32($0.number) }]),
        by: owner))
    var numbers: [UInt32] = []
    let proxy = Proxy(
      on: peers.client, destination: peers.service.uniqueName, path: Sample.path, interface: Sample.name)
    let watch = proxy.onProperties { numbers += $0["Number"]?.uint32.map { [$0] } ?? [] }
    try turning("the first is read") { numbers == [1] }
    for number in UInt32(2)..<5 {
      owner.number = number
      object.propertyChanged("Number", of: Sample.name)
      try turning("it is read again") { numbers.last == number }
    }
    watch.cancel()
    owner.number = 9
    object.propertyChanged("Number", of: Sample.name)
    try peers.settle()
    #expect(numbers == [1, 2, 3, 4])
  }
}
