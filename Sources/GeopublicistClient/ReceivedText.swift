// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Texts from the bus, cleaned where they are received. On a session bus any program of the user may own the service's
/// name, and programs write these texts to terminals and logs.
nonisolated extension DBusError {
  /// The error with a message that contains only printable characters.
  package var printable: DBusError { DBusError(name, message.printable) }
}

nonisolated extension CallFailure {
  /// The failure with a message that contains only printable characters.
  package var printable: CallFailure {
    switch self {
    case .notSent(let error): .notSent(error.printable)
    case .lost(let error): .lost(error.printable)
    case .refused(let error): .refused(error.printable)
    }
  }
}

nonisolated extension Result where Failure == CallFailure {
  /// The result of a call, with a printable error message.
  package var printable: Result { mapError(\.printable) }
}

/// The contract's words. An unknown word, of a newer service or a hostile one, becomes `unknown`.
nonisolated enum ContractWord {
  static let unknown = "unknown"

  static func read<Word: RawRepresentable<String>>(_ text: String?, as kind: Word.Type) -> String {
    text.flatMap(kind.init)?.rawValue ?? unknown
  }

  /// Reads a level of locations or sources, which may be `none`.
  static func level(_ text: String?) -> String {
    text == AccuracyLevel.none.contractName ? "none" : text.flatMap(AccuracyLevel.init)?.contractName ?? unknown
  }

  /// Reads why the service has closed an object.
  static func closing(_ text: String) -> String {
    ["by-consumer", "completed", "expired", "shutdown", "used"].contains(text) ? text : unknown
  }
}

nonisolated extension [String: Value] {
  /// Properties of the service's manager object, with known words and printable texts.
  package var received: [String: Value] {
    Dictionary(uniqueKeysWithValues: map { name, value in (name, value.string.map { Self.read(name, $0) } ?? value) })
  }

  private static func read(_ name: String, _ text: String) -> Value {
    switch name {
    case "State": .string(ContractWord.read(text, as: SourceState.self))
    case "StateReason": .string(ContractWord.read(text, as: SourceReason.self))
    case "AuthorizationStatus": .string(ContractWord.read(text, as: AuthorizationStatus.self))
    case "AuthorizationReason": .string(ContractWord.read(text, as: AuthorizationReason.self))
    case "AvailableAccuracy": .string(ContractWord.level(text))
    default: .string(text.printable)
    }
  }
}
