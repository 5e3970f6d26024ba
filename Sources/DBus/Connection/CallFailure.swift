// SPDX-License-Identifier: Apache-2.0
/// Why a call has no result.
///
/// Only ``refused(_:)`` is an answer of the called program. The other two do not show what it would have answered, and
/// must never count as its answer.
nonisolated public enum CallFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call never reached the program: the connection is closed, a limit of this connection or of the bus is reached,
  /// or the arguments cannot be sent.
  case notSent(DBusError)
  /// The call was sent, but no answer arrived: the timeout has passed, the program has left the bus or did not start in
  /// time, or the connection is lost.
  case lost(DBusError)
  /// The program answered with an error or in a form that was not expected, or the bus answered that there is no such
  /// program or that its policy forbids the call.
  case refused(DBusError)

  /// The error behind the failure, for messages to users.
  public var error: DBusError {
    switch self {
    case .notSent(let error), .lost(let error), .refused(let error): error
    }
  }

  public var description: String { error.description }

  /// Classifies an error message that answers a call to `destination`.
  init(_ error: DBusError, from sender: BusName?, to destination: BusName?) {
    guard sender == .bus, destination != .bus else {
      self = .refused(error)
      return
    }
    // The bus answers instead of the program.
    switch error.name {
    case .noReply, .timedOut, .disconnected: self = .lost(error)
    case .limitsExceeded, .noMemory: self = .notSent(error)
    default: self = .refused(error)
    }
  }
}
