// SPDX-License-Identifier: Apache-2.0
/// A publisher of values and an end that were recorded before.
public struct Record<Output, Failure: Error>: Publisher {
  /// What is played back.
  public let recording: Recording

  /// Records what a closure writes.
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Plays back a recording.
  public init(recording: Recording) { self.recording = recording }

  /// Plays back values and an end.
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    guard !recording.output.isEmpty else {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: recording.completion)
      return
    }
    subscriber.receive(subscription: SequenceLink(recording.output, recording.completion, subscriber))
  }

  /// Values and an end.
  public struct Recording {
    /// What it takes.
    public typealias Input = Output

    private enum State: Sendable { case input, complete }

    private var state: State

    /// The values.
    public private(set) var output: [Output]
    /// The end; finished if none was recorded.
    public private(set) var completion: Subscribers.Completion<Failure>

    /// Nothing yet.
    public init() {
      state = .input
      output = []
      completion = .finished
    }

    /// Values and an end; nothing can be added.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      state = .complete
      self.output = output
      self.completion = completion
    }

    /// Adds a value; not allowed after the end.
    public mutating func receive(_ input: Output) {
      precondition(state == .input, "a value must not be recorded after the end")
      output.append(input)
    }

    /// Adds the end; allowed once.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      precondition(state == .input, "the end must be recorded once")
      state = .complete
      self.completion = completion
    }
  }
}

private enum RecordingKeys: String, CodingKey { case output, completion }

extension Record.Recording: Encodable where Output: Encodable, Failure: Encodable {
  /// Writes it so that it can be read back.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordingKeys.self)
    try container.encode(output, forKey: .output)
    try container.encode(completion, forKey: .completion)
  }
}

extension Record.Recording: Decodable where Output: Decodable, Failure: Decodable {
  /// Reads what `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RecordingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
  }
}

extension Record: Encodable where Output: Encodable, Failure: Encodable {}
extension Record: Decodable where Output: Decodable, Failure: Decodable {}
