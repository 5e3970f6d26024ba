// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The result of a program that ran to its end.
public nonisolated struct CommandResult: Sendable {
  public let exit: ChildProcess.Exit
  public let standardOutput: String
  public let standardError: String

  public var succeeded: Bool { exit == .status(0) }
}

/// Runs a program to its end.
///
/// - Throws: `DeadlineExceeded` if it does not end in time; the program is then killed.
public func run(
  _ arguments: [String], environment: [String: String] = [:], as user: uid_t? = nil,
  within limit: Duration = .seconds(20)
) throws -> CommandResult {
  let process = try ChildProcess(arguments, environment: environment, as: user)
  process.closeStandardInput()
  let exit = try process.waitForExit(within: limit)
  return CommandResult(exit: exit, standardOutput: process.standardOutput, standardError: process.standardError)
}
