// SPDX-License-Identifier: Apache-2.0

/// What an object holds, directly or through others: the elements of its collections and the values of its counters, by
/// type and property.
struct Inventory {
  private(set) var counts: [String: Int] = [:]
  private var visited: Set<ObjectIdentifier> = []

  init(of root: AnyObject) { visit(root, "root") }

  private mutating func visit(_ value: Any, _ name: String) {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .class:
      guard visited.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
      var current: Mirror? = mirror
      while let type = current {
        visitMembers(of: type)
        current = type.superclassMirror
      }
    case .collection, .dictionary, .set:
      counts[name, default: 0] += mirror.children.count
      guard !(value is [UInt8]) else { return }
      for child in mirror.children { visit(child.value, name) }
    // Swift cannot reflect a reference that is not counted.
    case .struct where name.hasSuffix("._value") || "\(mirror.subjectType)".hasPrefix("Unmanaged"): break
    case .struct: visitMembers(of: mirror)
    case .some: for child in mirror.children { visit(child.value, name) }
    case nil:
      if Self.counters.contains(name), let count = value as? any BinaryInteger {
        counts[name, default: 0] &+= Int(clamping: count)
      }
    }
  }

  private mutating func visitMembers(of mirror: Mirror) {
    let type = "\(mirror.subjectType)".prefix { $0 != "<" }
    for child in mirror.children { visit(child.value, "\(type).\(child.label ?? "")") }
  }

  /// Properties that count what is under way, or is there.
  private static let counters: Set = [
    "AccessHistory.authorizedClients", "AccessHistory.clients", "Admission.pendingCalls", "ClientPeak.count",
    "CredentialsLookup.inFlight", "FairQueue.bytes", "FairQueue.count", "Lane.abandoned", "Lane.pings",
    "LocationManager.waiting", "LocationService.briefReceivers", "LocationService.receivers", "Quota.total",
    "ReaderLedger.unprovenOfAll", "SessionWatch.inFlight",
  ]

  /// What remains when every client has left, and at most how much of it. Everything else has ended with them.
  private static let lasting: [String: Int] = [
    // What accounts have used up, and what is known of users: their histories, sessions and records.
    "Admission.buckets": 256, "FairQueue.debts": 256, "RefusalQueue.lines": 256, "StatePacer.lines": 256,
    "ClientRegistry.histories": 64, "PlaceMemory.forgotten": 64, "PlaceMemory.records": 64, "PlaceMemory.writes": 64,
    "SessionOwners.owners": 64,
    // The agents, which the service looks for once.
    "AgentFinder.owners": 64, "AgentFinder.refreshes": 64, "PeerWatch.actions": 64,
    "AgentWatch.candidates": 64, "AgentWatch.levels": 8, "AgentWatch.matches": 2, "AgentWatch.users": 64,
    // What has been measured, for the course and for each level.
    "CourseOverGround.recent": 32, "LocationSignals.newest": 8, "RecentMeasurements.measurements": 4,
    "SharedLocations.hiddenUntil": 5, "SharedLocations.levels": 5, "SharedLocations.published": 5,
    "SharedLocations.reducers": 5,
    "SharedLocations.settling": 5,
    // What the service is made of.
    "Arguments.list": 64, "ClientRegistry.quotas": 2, "ClientRegistry.unproven": 2, "Connection.rejoinActions": 16,
    "ExportedObject.interfaces": 3, "FolderWatch.folders": 3, "GeoClueConfiguration.rules": 8, "GeoClueRules.files": 8,
    "InterfaceTable.methods": 8, "InterfaceTable.properties": 14, "InterfaceTable.signals": 8,
    "InterfaceTable.$__lazy_storage_$_sortedProperties": 14, "Limits.values": 64, "LocationService.cancellables": 4,
    "LoopIntegration.watches": 12, "NetworkWatch.matches": 2, "ObjectTree.objects": 3, "PingPool.lanes": 1,
    "Rule.users": 8, "SessionWatch.signals": 7, "SharedLocations.cancellables": 1, "SignalRouter.matches": 30,
    "SignalRouter.owners": 8, "SubordinateRanges.ranges": 8, "SubscriptionList.list": 5,
    // Calls to the bus, which it answers at once.
    "UnansweredCalls.counts": 1, "UnansweredCalls.destinations": 16,
  ]

  /// What calls hold until they are answered.
  private static let ofCalls: Set = [
    "Probe.open", "Quota.held", "Quota.total", "UnansweredCalls.counts", "UnansweredCalls.destinations",
  ]

  /// Returns what has not ended with the last client.
  ///
  /// - Parameter calls: The number of calls to other programs that are not answered yet.
  func remains(with calls: Int) -> [String] {
    counts.filter { name, count in
      let most = (Self.lasting[name] ?? 0) + (Self.ofCalls.contains(name) ? 2 * calls : 0)
      return count > most && !name.hasPrefix("PlaceTable.")
    }
    .map { "\($0): \($1)" }.sorted()
  }
}
