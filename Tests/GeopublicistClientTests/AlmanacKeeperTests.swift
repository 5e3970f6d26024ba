// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistClient

@Suite struct AlmanacKeeperTests {
  private let path: ObjectPath = "/org/geopublicist/Location1/almanac/1"

  private func almanac(_ phase: String, _ more: [(String, Value)] = []) -> [Value] {
    [.options([("Phase", .string(phase))] + more)]
  }

  private func updates(_ actions: [AlmanacKeeper.Action]) -> [DayPhase] {
    actions.compactMap { if case .tell(.update(let almanac)) = $0 { almanac.phase } else { nil } }
  }

  private func running() -> AlmanacKeeper {
    var keeper = AlmanacKeeper()
    _ = keeper.handle(.ownerChanged(":1.1"), at: 0, chance: 0)
    _ = keeper.handle(.wanted(ClientOptions()), at: 0, chance: 0)
    _ = keeper.handle(.created(path, attempt: 1), at: 0, chance: 0)
    _ = keeper.handle(.started(attempt: 1), at: 0, chance: 0)
    return keeper
  }

  @Test func `CreateAlmanac receives only the options that almanacs accept`() {
    var options = ClientOptions()
    (options.accuracy, options.almanac.twilight, options.almanac.nightOffset) = (.exact, .nautical, -60)
    var keeper = AlmanacKeeper()
    let actions = keeper.handle(.wanted(options), at: 0, chance: 0)
    guard case .create("CreateAlmanac", let value, attempt: 1)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(value == .options([("twilight", .string("nautical")), ("night-offset", .int32(-60))]))
  }

  @Test func `an almanac is reported again after access was lost, but not after a restart`() {
    var keeper = running()
    let day = ServiceObjectEvent.signal("AlmanacChanged", almanac("day"))
    #expect(updates(keeper.handle(day, at: 1, chance: 0)) == [.day])
    #expect(updates(keeper.handle(day, at: 2, chance: 0)) == [])
    _ = keeper.handle(.ownerChanged(":1.2"), at: 3, chance: 0)
    _ = keeper.handle(.created(path, attempt: 2), at: 3, chance: 0)
    _ = keeper.handle(.started(attempt: 2), at: 3, chance: 0)
    #expect(updates(keeper.handle(day, at: 4, chance: 0)) == [])
    let refusal = ServiceObjectEvent.signal(
      "AuthorizationChanged", [.string("denied"), .string("disabled-by-user")])
    _ = keeper.handle(refusal, at: 5, chance: 0)
    #expect(updates(keeper.handle(day, at: 6, chance: 0)) == [.day])
    #expect(updates(keeper.handle(.signal("AlmanacChanged", almanac("noon")), at: 7, chance: 0)) == [])
  }

  /// Regression: a program was told twice after each restart, and a time zone was taken for a new one.
  @Test func `after a restart, an almanac that differs only in its measurement is not reported`() {
    var keeper = running()
    func changed(_ second: UInt64, isRemembered: Bool) -> ServiceObjectEvent {
      let time = Value.structure([.uint64(second), .uint64(0)])
      return .signal(
        "AlmanacChanged", almanac("day", [("Timestamp", time), ("Remembered", .boolean(isRemembered))]))
    }
    #expect(updates(keeper.handle(changed(1, isRemembered: true), at: 1, chance: 0)) == [.day])
    #expect(updates(keeper.handle(changed(2, isRemembered: false), at: 2, chance: 0)) == [.day])
    #expect(updates(keeper.handle(changed(3, isRemembered: true), at: 3, chance: 0)) == [])
    #expect(updates(keeper.handle(changed(4, isRemembered: false), at: 4, chance: 0)) == [])
    #expect(updates(keeper.handle(.signal("AlmanacChanged", almanac("night")), at: 5, chance: 0)) == [.night])
  }

  @Test func `an almanac is read from its dictionary, and its texts are made printable`() throws {
    func time(_ seconds: UInt64) -> Value { .structure([.uint64(seconds), .uint64(0)]) }
    let read = try #require(
      Almanac(
        almanac(
          "night",
          [
            (
              "Forecast",
              .array("(s(tt))", [.structure([.string("night"), time(60)]), .structure([.string("day"), time(120)])])
            ),
            ("Sunrise", time(120)), ("TimeZone", .string("Europe/Berlin\u{1B}")), ("Approximate", .boolean(false)),
          ])[0]))
    #expect(read.next?.phase == .day && read.next?.time.seconds == 120 && read.sunrise?.seconds == 120)
    #expect(read.sunset == nil && read.place == nil && !read.isApproximate && !read.isRemembered)
    #expect(read.timeZone?.hasPrefix("Europe/Berlin") == true && read.timeZone?.contains("\u{1B}") == false)
  }
}
