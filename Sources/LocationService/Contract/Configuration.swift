// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// The administrator's settings from `/etc/geopublicist/geopublicist.conf` and the `conf.d/*.conf` files beside it,
/// read in alphabetical order. Later values override earlier ones, key by key.
public struct Configuration {
  public var limits = Limits()
  /// Seconds without objects and calls after which the service exits. 0 means never.
  public var idleTimeout = 60.0
  /// Whether the last location of each user is kept.
  public var remembers = true

  public init() {}

  /// Reads the given file, which must exist, or otherwise all of the administrator's files that exist.
  ///
  /// Throws everything that is wrong: a file that cannot be read, an unknown group or key, a value that is out of range.
  public static func load(file: String?) throws(KeyFile.FileError) -> Configuration {
    var configuration = Configuration()
    // Settings in a folder that cannot be read must not be taken for missing ones.
    var mistakes = file == nil ? [TextFile.failure(ofFolder: SettingsFiles.dropIns)].compactMap { $0 } : []
    for path in file.map({ [$0] }) ?? SettingsFiles.existing {
      do throws(KeyFile.FileError) {
        mistakes += try configuration.read(KeyFile(path: path))
      } catch {
        mistakes.append(error)
      }
    }
    if let error = KeyFile.FileError(mistakes) { throw error }
    return configuration
  }

  /// Applies the settings of a file, and returns what is wrong with the others.
  private mutating func read(_ file: KeyFile) -> [KeyFile.FileError] {
    var mistakes: [KeyFile.FileError] = []
    for group in file.groups {
      guard group == "Service" || group == "Limits" else {
        mistakes.append(KeyFile.FileError(file.path, "unknown group [\(group)]; use [Service] or [Limits]"))
        continue
      }
      for key in file.keys(of: group) {
        let text = file.scalar(key, of: group) ?? ""
        func refuse(_ message: String) {
          mistakes.append(KeyFile.FileError(file.path, group: group, key: key, message))
        }
        if group == "Limits", let limit = Limits.Key(rawValue: key) {
          if let number = UInt32(text), number > 0 {
            limits[limit] = number
          } else {
            refuse("'\(text)' is not a number from 1 to \(UInt32.max)")
          }
        } else if group == "Service", key == "idle-timeout" {
          if let seconds = Double(text), (0...31_536_000).contains(seconds) {
            idleTimeout = seconds
          } else {
            refuse("'\(text)' is not a number of seconds from 0 to 31536000")
          }
        } else if group == "Service", key == "remember" {
          if let isOn = Bool(text) { remembers = isOn } else { refuse("'\(text)' is neither true nor false") }
        } else {
          refuse("unknown key")
        }
      }
    }
    return mistakes
  }
}

/// The limits per connection, per user and for the whole service.
nonisolated public struct Limits: Equatable, Sendable {
  /// The limits' names in the property `Limits` and in error messages.
  public enum Key: String, CaseIterable, Sendable {
    case subscriptionsPerConnection = "subscriptions-per-connection"
    case regionsPerConnection = "regions-per-connection"
    case callsPerConnection = "calls-per-connection"
    case subscriptionsPerUser = "subscriptions-per-user"
    case regionsPerUser = "regions-per-user"
    case subscriptions = "subscriptions"
    case regions = "regions"
    case callsBurst = "calls-burst"
    case callsPerSecond = "calls-per-second"
    case callsPerSecondPerUser = "calls-per-second-per-user"
    case calls = "calls"
    case callsPerUser = "calls-per-user"
    case promptsPerConnection = "prompts-per-connection"
    case promptsPerUser = "prompts-per-user"
    case messageBytes = "message-bytes"
  }

  private var values: [Key: UInt32] = [
    .subscriptionsPerConnection: 16,
    .regionsPerConnection: 20,
    .callsPerConnection: 16,
    .subscriptionsPerUser: 512,
    .regionsPerUser: 100,
    .subscriptions: 4096,
    .regions: 1000,
    .callsBurst: 200,
    .callsPerSecond: 50,
    .callsPerSecondPerUser: 400,
    .calls: 4096,
    .callsPerUser: 256,
    .promptsPerConnection: 1,
    .promptsPerUser: 2,
    .messageBytes: 64 * 1024,
  ]

  public init() {}

  public subscript(key: Key) -> UInt32 {
    get { values[key] ?? 0 }
    set { values[key] = newValue }
  }

  var value: Value {
    .dictionary(key: .string, value: "u", Key.allCases.map { Value.Entry(.string($0.rawValue), .uint32(self[$0])) })
  }
}
