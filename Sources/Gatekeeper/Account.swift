// SPDX-License-Identifier: Apache-2.0
/// The account that is charged for the resources of a user's programs.
///
/// One login owns thousands of subordinate user ids, so a limit for each id does not limit the person who uses them.
nonisolated package enum Account: Hashable, Sendable {
  /// A user with a login session or lingering, or a system user, with all subordinate ids that are known to be the
  /// user's.
  case user(UInt32)
  /// A range of subordinate ids whose owner is not known, by its first id.
  case range(UInt32)
  /// All other users together.
  case common

  /// The information from logind about a user.
  enum Login: Hashable, Sendable {
    /// logind has not answered yet.
    case unknown
    /// The user has a session or lingers.
    case present
    case absent
    /// logind is not installed.
    case untracked
  }

  /// Returns the account of a user.
  ///
  /// - Parameters:
  ///   - isNamed: Whether an administrator's rule names the user for `access-without-agent`.
  ///   - ranges: The ranges of subordinate ids, or nil if they cannot be read.
  init(of user: UInt32, login: Login, isNamed: Bool, _ ranges: SubordinateRanges?) {
    let range = ranges?.range(of: user)
    switch login {
    case _ where Self.isSystem(user) || isNamed || login == .present: self = .user(user)
    case _ where range != nil: self = range?.account ?? .common
    // Without logind no user has a session. Ordinary users can still be distinguished from subordinate ids.
    case .untracked: self = ranges == nil ? .common : .user(user)
    case .unknown, .absent, .present: self = .common
    }
  }

  /// Returns whether an id belongs to the system.
  static func isSystem(_ user: UInt32) -> Bool { user < 1_000 || isTransient(user) }

  /// Returns whether an id is one of those that systemd allocates to a service while it runs (`DynamicUser=`).
  package static func isTransient(_ user: UInt32) -> Bool { (61_184...65_519).contains(user) }
}

/// The ranges of subordinate user ids that `/etc/subuid` lists.
nonisolated struct SubordinateRanges: Hashable, Sendable {
  struct Range: Hashable, Sendable {
    let first: UInt32
    let last: UInt32
    /// The owner's id, or nil if the owner's name does not resolve.
    let owner: UInt32?

    var account: Account { owner.map { .user($0) } ?? .range(first) }
  }

  /// In the order of their first ids.
  private let ranges: [Range]

  /// Parses the file: `owner:first:count` on each line, where the owner is a name or an id. Malformed lines are
  /// skipped.
  ///
  /// - Parameter userID: Returns the id of a user's name.
  init(contents: String, userID: (String) -> UInt32?) {
    let ranges = contents.split(separator: "\n").compactMap { line -> Range? in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]), count > 0 else {
        return nil
      }
      let owner = String(fields[0])
      let last = first.addingReportingOverflow(count - 1)
      return Range(first: first, last: last.overflow ? .max : last.partialValue, owner: UInt32(owner) ?? userID(owner))
    }
    self.ranges = ranges.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
  }

  /// Returns the range that contains an id. Of several, the one that begins last, which is the most specific one.
  func range(of user: UInt32) -> Range? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].first <= user { low = middle + 1 } else { high = middle }
    }
    return ranges[..<low].last { user <= $0.last }
  }
}
