// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import PublicistTesting
import Testing

@testable import Publicist

/// Filters and significant changes of a location manager, through CoreLocation's interface.
@Suite(.serialized) struct SignificantChangesTests {
  private let source = FakeLocationSource()
  private let diary = Diary()
  private var seconds: [UInt64] { diary.locations.map(\.timestamp.seconds) }

  private func manager() -> LocationManager {
    let manager = LocationManager(source: source)
    manager.delegate = diary
    return manager
  }

  /// A manager that has received the first location, and rests until the next check for significant changes.
  private func resting() -> LocationManager {
    let manager = manager()
    manager.startMonitoringSignificantLocationChanges()
    source.authorize(.authorized(.always))
    send(1)
    #expect(source.level == nil)
    return manager
  }

  private func send(_ second: UInt64, metres: Double = 0, accuracy: Double? = 10) {
    source.move(north: metres, accuracy: accuracy, at: Timestamp(seconds: second))
  }

  @Test func `the distance filter compares with the last location that was delivered`() {
    let manager = manager()
    manager.distanceFilter = 1
    manager.startUpdatingLocation()
    for second in 0..<7 as Range<UInt64> { send(second, metres: Double(second) * 0.4) }
    #expect(seconds == [0, 3, 6])
    manager.distanceFilter = 0
    send(7)
    #expect(seconds.last == 7)
  }

  @Test func `locations below the required accuracy are not delivered unless they were requested`() {
    let manager = manager()
    manager.requiredAccuracy = 50
    manager.startUpdatingLocation()
    send(1, accuracy: 51)
    send(2, accuracy: nil)
    send(3, accuracy: 50)
    #expect(seconds == [3])
    send(4, accuracy: 900)
    manager.requestLocation()
    send(5, accuracy: 900)
    #expect(seconds == [3, 5], "a requested location is not filtered")
  }

  @Test func `startOver and the end of updates drop the location that waits, and time asleep counts`() {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    let manager = manager()
    manager.timeFilter = .seconds(1_000)
    manager.startUpdatingLocation()
    send(1)
    send(2)
    manager.startOver()
    manager.timeFilter = .milliseconds(1)
    #expect(seconds == [1])
    manager.timeFilter = .seconds(1_000)
    send(3)
    MainLoop.main.clock.boottime = { clock.boottime() + .seconds(1_000) }
    manager.startOver()
    send(4)
    #expect(seconds == [1, 4])
    send(5)
    manager.stopUpdatingLocation()
    manager.timeFilter = .milliseconds(1)
    #expect(seconds == [1, 4])
  }

  /// Regression: it was delivered after access had been lost.
  @Test(arguments: [Authorization.refused(.disabledByUser), .authorized(.whenInUse, level: .city)])
  func `a location that waits for a filter is dropped when less may be delivered`(change: Authorization) {
    let manager = manager()
    source.authorize(.authorized(.whenInUse))
    manager.timeFilter = .seconds(1_000)
    manager.startUpdatingLocation()
    send(1)
    send(2)
    source.authorize(change)
    manager.timeFilter = .milliseconds(1)
    #expect(seconds == [1])
    manager.timeFilter = .seconds(1_000)
    source.authorize(.authorized(.whenInUse))
    send(3)
    #expect(seconds == [1, 3])
    send(4)
    #expect(seconds == [1, 3])
  }

  @Test func `the first location of each start is delivered, and none after the end`() {
    let manager = manager()
    manager.startMonitoringSignificantLocationChanges()
    send(1, accuracy: 1_000)
    send(2, metres: 5_000, accuracy: 1_000)
    manager.stopMonitoringSignificantLocationChanges()
    #expect(seconds == [1])
    manager.startMonitoringSignificantLocationChanges()
    send(3, metres: 5_000)
    manager.stopMonitoringSignificantLocationChanges()
    #expect(seconds == [1, 3])
    manager.distanceFilter = 100
    manager.startUpdatingLocation()
    send(4, metres: 5_000)
    send(5, metres: 5_000)
    #expect(seconds == [1, 3, 4])
  }

  @Test func `the source is used at once for significant changes, however old the manager is`() {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    let manager = manager()
    MainLoop.main.clock.monotonic = { clock.monotonic() + .seconds(40) }
    manager.startMonitoringSignificantLocationChanges()
    #expect(source.required == [.exact])
  }

  @Test func `with significant changes, the source is released after the first location`() {
    let manager = manager()
    manager.startMonitoringSignificantLocationChanges()
    #expect(source.level == .exact)
    send(1)
    #expect(seconds == [1])
    #expect(source.level == nil)
    manager.startUpdatingLocation()
    #expect(source.level == .exact)
    send(2)
    send(3)
    #expect(seconds == [1, 2, 3])
    manager.stopUpdatingLocation()
    #expect(source.level == nil)
    manager.stopMonitoringSignificantLocationChanges()
    #expect(source.level == nil)
  }

  /// Regression: nothing used the source before the next check, up to 44 minutes later.
  @Test func `significant changes begin again as soon as access returns`() {
    let manager = resting()
    defer { withExtendedLifetime(manager) {} }
    source.authorize(.refused(.disabledByUser))
    #expect(source.level == .exact, "only a source that is held reports that access returns")
    source.authorize(.undecided)
    source.authorize(.authorized(.always))
    send(2)
    #expect(seconds == [1, 2])
    #expect(source.level == nil)
    source.authorize(.authorized(.always, level: .city))
    #expect(source.level == .exact, "the first location of the lower level")
  }

  /// Regression: they were counted from the last one before the updates.
  @Test func `significant changes are counted from the last location that was delivered`() {
    MainLoop.main.withVirtualTime { time in
      let manager = manager()
      manager.startMonitoringSignificantLocationChanges()
      source.authorize(.authorized(.always))
      send(1)
      manager.startUpdatingLocation()
      time.advance(by: .seconds(900))
      send(2, metres: 10_000)
      manager.stopUpdatingLocation()
      #expect(seconds == [1, 2])
      #expect(source.level == nil, "no check is due soon")
      time.advance(by: .seconds(1_801))
      #expect(source.level == .exact)
      send(3)
      #expect(seconds == [1, 2, 3])
    }
  }

  /// Regression: the distance was counted from the last location that had not been requested.
  @Test func `the distance is also counted from a location that was requested`() {
    let manager = manager()
    manager.distanceFilter = 100
    manager.startUpdatingLocation()
    send(1)
    manager.requestLocation()
    send(2, metres: 90)
    send(3, metres: 110)
    send(4, metres: 190)
    #expect(seconds == [1, 2, 4])
  }

  /// Regression: one that was less accurate than required counted, so that none passed while the device did not move.
  @Test func `thresholds are not counted from a requested location that is less accurate than required`() {
    let manager = manager()
    (manager.distanceFilter, manager.requiredAccuracy) = (100, 50)
    manager.startUpdatingLocation()
    manager.requestLocation()
    send(1, accuracy: 60)
    send(2, accuracy: 35)
    #expect(seconds == [1, 2])
  }

  /// Regression: it ended, and the more accurate location was awaited for half an hour.
  @Test func `a requested location that is less accurate than required does not end a check`() {
    let manager = manager()
    manager.requiredAccuracy = 50
    manager.startMonitoringSignificantLocationChanges()
    manager.requestLocation()
    send(1, accuracy: 400)
    #expect(source.level == .exact)
    send(2)
    #expect(seconds == [1, 2])
    #expect(source.level == nil)
  }

  /// Regression: the source was released first.
  @Test func `a requested location is delivered before the source is released`() {
    let manager = manager()
    manager.startMonitoringSignificantLocationChanges()
    manager.requestLocation()
    var levels: [AccuracyLevel?] = []
    diary.onLocation = { _ in levels.append(source.level) }
    send(1)
    #expect(levels == [.exact])
    #expect(source.level == nil)
  }

  /// Regression: it was dropped, and the source was used on.
  @Test func `after access was lost during a rest, the first location may be the last one`() {
    let manager = resting()
    defer { withExtendedLifetime(manager) {} }
    source.authorize(.refused(.disabledByUser))
    source.authorize(.authorized(.always))
    send(1)
    #expect(seconds == [1, 1])
    #expect(source.level == nil)
  }

  /// Regression: the source was released, because a location had been tried for in vain when access was refused.
  @Test func `significant changes begin as soon as access is granted, however long it was refused`() {
    MainLoop.main.withVirtualTime { time in
      let manager = manager()
      manager.startMonitoringSignificantLocationChanges()
      source.authorize(.refused(.noAgent))
      time.advance(by: .seconds(300))
      source.authorize(.authorized(.always))
      #expect(source.level == .exact)
      send(1)
      #expect(seconds == [1])
      #expect(source.level == nil)
    }
  }
}
