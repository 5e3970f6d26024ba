// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A bus connection of another program: Python in a separate process, possibly as another user.
public final class BusClient {
  public nonisolated enum Answer: Equatable, Sendable {
    case reply([JSON])
    case error(name: String, message: String)

    public var errorName: String? { if case .error(let name, _) = self { name } else { nil } }
    public var errorMessage: String? { if case .error(_, let message) = self { message } else { nil } }

    /// Returns the arguments of a reply. Throws `CallFailed` for an error.
    public func arguments() throws -> [JSON] {
      switch self {
      case .reply(let arguments): return arguments
      case .error(let name, let message): throw CallFailed(name: name, message: message)
      }
    }
  }

  /// An error answer, for calls that are expected to succeed.
  public nonisolated struct CallFailed: Error, CustomStringConvertible {
    public let name: String
    public let message: String
    public var description: String { "\(name): \(message)" }
  }

  public nonisolated struct Signal: Sendable {
    public let sender: String
    public let destination: String?
    public let path: String
    public let interface: String
    public let member: String
    public let arguments: [JSON]
    /// When the process received it, in seconds of CLOCK_BOOTTIME.
    public let arrival: Double
    /// The whole message without its time of arrival, to search for text that it must not contain.
    public var text: String { whole.line }
    fileprivate let whole: JSON
  }

  public let uniqueName: String
  private let process: ChildProcess
  private var signals: [Signal] = []
  /// The arguments of the signals of each object, by their names.
  private var argumentsOfObjects: [String: [String: [[JSON]]]] = [:]
  private var answers: [Int64: Answer] = [:]
  private var answered: [Int64] = []
  private var lastCall: Int64 = 0

  /// Connects, as another user if this one is root.
  public init(at address: String, as user: uid_t? = nil) throws {
    let process = try ChildProcess([Rig.python, Rig.file("bus-client.py"), address], as: user)
    self.process = process
    uniqueName = try eventual("a client connects", seen: process.standardError) {
      process.newLines().first.flatMap { JSON(line: $0)?["name"]?.string }
    }
  }

  public var processIdentifier: pid_t { process.processIdentifier }

  /// Calls a method and waits for the answer.
  ///
  /// - Parameters:
  ///   - interface: nil leaves it out of the message.
  ///   - destination: The service by default.
  public func call(
    _ member: String, of interface: String?, at path: String, of destination: String = Service.name,
    signature: String = "", _ arguments: [JSON] = [], within limit: Duration = .seconds(10)
  ) throws -> Answer {
    try answer(
      to: begin(member, of: interface, at: path, of: destination, signature: signature, arguments), within: limit)
  }

  /// Calls a method that is expected to succeed. Throws `CallFailed` otherwise.
  public func reply(
    _ member: String, of interface: String?, at path: String, of destination: String = Service.name,
    signature: String = "", _ arguments: [JSON] = []
  ) throws -> [JSON] {
    try call(member, of: interface, at: path, of: destination, signature: signature, arguments).arguments()
  }

  public func get(
    _ property: String, of interface: String, at path: String, of destination: String = Service.name
  ) throws -> JSON {
    try reply(
      "Get", of: busProperties, at: path, of: destination, signature: "ss", [.string(interface), .string(property)])[0]
      .content
  }

  @discardableResult
  public func set(
    _ property: String, of interface: String, at path: String, of destination: String = Service.name, to value: JSON
  ) throws -> Answer {
    try call(
      "Set", of: busProperties, at: path, of: destination, signature: "ssv",
      [.string(interface), .string(property), value])
  }

  public func own(_ name: String) throws { _ = try askBus("RequestName", signature: "su", [.string(name), 0]) }

  public func askBus(_ member: String, signature: String = "", _ arguments: [JSON] = []) throws -> [JSON] {
    try reply(
      member, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
      signature: signature, arguments)
  }

  /// Sends a call without waiting; see `answer(to:)`. An interactive one carries ALLOW_INTERACTIVE_AUTHORIZATION.
  public func begin(
    _ member: String, of interface: String?, at path: String, of destination: String = Service.name,
    signature: String = "", _ arguments: [JSON] = [], interactive: Bool = false
  ) throws -> Int64 {
    try send([
      "call": [
        "destination": .string(destination), "path": .string(path), "interface": interface.map(JSON.string) ?? .null,
        "member": .string(member), "signature": .string(signature), "arguments": .array(arguments),
        "interactive": .bool(interactive), "timeout": 300,
      ]
    ])
  }

  public func answerSoFar(to call: Int64) -> Answer? {
    read()
    return answers[call]
  }

  /// The calls that have been answered so far, in the order of the answers.
  public var answeredCalls: [Int64] {
    read()
    return answered
  }

  public func answer(to call: Int64, within limit: Duration = .seconds(10)) throws -> Answer {
    try eventual("an answer", within: limit, seen: process.standardError) { answerSoFar(to: call) }
  }

  /// Subscribes to broadcast signals, in addition to those addressed to this connection.
  public func match(_ rule: String) throws { _ = try answer(to: send(["match": .string(rule)])).arguments() }

  /// Sends a signal, to all unless there is a destination.
  public func emit(
    _ member: String, of interface: String, at path: String, to destination: String? = nil, signature: String = "",
    _ arguments: [JSON] = []
  ) throws {
    _ = try answer(
      to: send([
        "emit": [
          "destination": destination.map(JSON.string) ?? .null, "path": .string(path), "interface": .string(interface),
          "member": .string(member), "signature": .string(signature), "arguments": .array(arguments),
        ]
      ]))
  }

  /// Every signal that has arrived so far, the bus's own included.
  public var received: [Signal] {
    read()
    return signals
  }

  /// The arguments of the signals with a name that have arrived so far, from one object or from all.
  public func received(_ member: String, from path: String? = nil) -> [[JSON]] {
    read()
    guard let path else { return signals.filter { $0.member == member }.map(\.arguments) }
    return argumentsOfObjects[path]?[member] ?? []
  }

  /// Waits for a number of signals of a name, and returns the arguments of all of them.
  public func waitFor(_ count: Int = 1, _ member: String, within limit: Duration = .seconds(10)) throws -> [[JSON]] {
    let seen = { [self] in signals.map(\.text).joined(separator: "\n") + process.standardError }
    return try eventual("\(count) × \(member)", within: limit, seen: seen()) {
      let found = received(member)
      return found.count >= count ? found : nil
    }
  }

  /// Stops the process, as a debugger does, or continues it.
  public func suspend(_ suspended: Bool) { process.signal(suspended ? SIGSTOP : SIGCONT) }

  /// Leaves the bus abruptly, as after a crash.
  public func kill() { process.kill() }

  private func send(_ command: [String: JSON]) throws -> Int64 {
    lastCall += 1
    try process.send(JSON.object(command.merging(["id": .integer(lastCall)]) { $1 }).line)
    return lastCall
  }

  private func read() {
    for line in process.newLines() {
      guard let message = JSON(line: line) else { continue }
      if let signal = message["signal"] {
        let new = Signal(
          sender: signal["sender"]?.string ?? "", destination: signal["destination"]?.string,
          path: signal["path"]?.string ?? "", interface: signal["interface"]?.string ?? "",
          member: signal["member"]?.string ?? "", arguments: signal["arguments"]?.array ?? [],
          arrival: message["at"]?.number ?? 0, whole: signal)
        signals.append(new)
        argumentsOfObjects[new.path, default: [:]][new.member, default: []].append(new.arguments)
      } else if let call = message["id"]?.integer {
        answered.append(call)
        if let reply = message["reply"] {
          answers[call] = .reply(reply["arguments"]?.array ?? [])
        } else if let error = message["error"] {
          answers[call] = .error(name: error["name"]?.string ?? "", message: error["message"]?.string ?? "")
        }
      }
    }
  }
}

public nonisolated let busProperties = "org.freedesktop.DBus.Properties"
