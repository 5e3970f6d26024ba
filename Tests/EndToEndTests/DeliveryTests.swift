// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct DeliveryTests {
  @Test(arguments: [Service.Deployment.system, .session])
  func `each NMEA sentence becomes exactly one update`(_ deployment: Service.Deployment) throws {
    let (machine, client, path) = try ServiceFixture.subscribed(
      deployment, agentLevel: deployment == .session ? 8 : nil)
    #expect(try client.property("Location", of: path) == [:])
    let before = Date()
    var begin = timespec()
    clock_gettime(CLOCK_BOOTTIME, &begin)
    let sentence = GGASentence(latitude: 52.516275, longitude: 13.377704, altitude: 34.5)
    try machine.receiver.write(sentence)
    let location = try client.locations(1, from: path)[0]

    #expect(deviation(of: location, from: sentence) < 1e-6)
    let types = ["Latitude": "d", "Longitude": "d", "Sequence": "t", "Timestamp": "(tt)", "MonotonicUSec": "t"]
    for (name, type) in types { #expect(location[name]?.variantType == type, "\(name)") }
    #expect(location["Level"] == .variant("s", "exact"))
    #expect(location["Reduced"] == .variant("b", false))
    #expect(location["Simulated"] == .variant("b", false))
    #expect(location["Accuracy"] == .variant("d", 0.0))
    #expect(abs(try #require(location["Altitude"]?.number) - 34.5) < 0.01)
    let measured = try #require(location["Timestamp"]?[0]?.number)
    #expect(measured >= before.timeIntervalSince1970.rounded(.down) - 1)
    #expect(measured <= Date().timeIntervalSince1970 + 1)
    let received = try #require(location["MonotonicUSec"]?.number) / 1e6
    let signal = try #require(client.connection.received.last { $0.member == "LocationUpdated" })
    #expect(received <= signal.arrival && received >= Double(begin.tv_sec))
    for absent in ["Speed", "Heading", "Age", "Description"] {
      #expect(location[absent] == nil, "\(absent) of a first fix is unknown")
    }
    #expect(signal.destination == client.connection.uniqueName)
    #expect(signal.interface == Service.subscription)
    #expect(try client.property("Location", of: path) == location)
    try always("there is one update", for: .milliseconds(300)) { client.locations(from: path).count == 1 }
  }

  @Test(arguments: [(fixes: 4, aSecond: 1.0), (fixes: 40, aSecond: 10.0)])
  func `all locations are delivered in order`(_ rate: (fixes: Int, aSecond: Double)) throws {
    let (machine, client, path) = try ServiceFixture.subscribed()
    var sent: [GGASentence] = []
    var due = ContinuousClock.now
    for step in walk(rate.fixes) {
      var sentence = step
      sentence.time = Date()
      try machine.receiver.write(sentence)
      sent.append(sentence)
      // GeoClue keeps only its newest two locations.
      _ = try client.locations(sent.count - 1, from: path)
      due = due + .seconds(1 / rate.aSecond)
      try eventually("the next fix is due", within: .seconds(2)) { ContinuousClock.now >= due }
    }
    let locations = try client.locations(sent.count, from: path)
    #expect(locations.count == sent.count)
    for (location, sentence) in zip(locations, sent) { #expect(deviation(of: location, from: sentence) < 1e-6) }
    let sequence = locations.compactMap { $0["Sequence"]?.integer }
    #expect(sequence.count == sent.count)
    #expect(zip(sequence, sequence.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a stopped subscription receives nothing until it is started again`() throws {
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let stopped = try client.subscribeAndStart()
    let other = try client.subscribeAndStart()
    let steps = walk(3)
    try machine.deliver([steps[0]], to: client, at: stopped)
    try client.tell(stopped, "Stop")
    #expect(try client.property("Active", of: stopped) == false)
    try machine.deliver([steps[1]], to: client, at: other)
    #expect(client.locations(from: stopped).count == 1)
    try client.tell(stopped, "Start")
    try machine.deliver([steps[2]], to: client, at: other)
    try client.waitFor(steps[2], from: stopped)
  }
}
