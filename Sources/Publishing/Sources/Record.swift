// SPDX-License-Identifier: Apache-2.0
/// A publisher of recorded values and their completion.
public struct Record<Output, Failure: Error>: Publisher {
  public let recording: Recording

  /// Publishes what a closure records.
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  public init(recording: Recording) { self.recording = recording }

  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  @inlinable
  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
    guard !recording.output.isEmpty else { return subscriber.receiveEmpty(recording.completion) }
    subscriber.receive(subscription: SequenceLink(recording.output, recording.completion, subscriber))
  }

  /// Values and their completion.
  public struct Recording {
    public typealias Input = Output

    private enum State: Sendable { case input, complete }

    private var state: State

    public private(set) var output: [Output]
    /// The completion, `.finished` if none was recorded.
    public private(set) var completion: Subscribers.Completion<Failure>

    /// Creates an empty recording.
    public init() {
      state = .input
      output = []
      completion = .finished
    }

    /// Creates a complete recording that cannot be extended.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      state = .complete
      self.output = output
      self.completion = completion
    }

    /// Adds a value. Traps after the completion.
    public mutating func receive(_ input: Output) {
      precondition(state == .input, "a value must not be recorded after the end")
      output.append(input)
    }

    /// Adds the completion. Traps if called twice.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      precondition(state == .input, "the end must be recorded once")
      state = .complete
      self.completion = completion
    }
  }
}

private enum RecordingKeys: String, CodingKey { case output, completion }

extension Record.Recording: Encodable where Output: Encodable, Failure: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordingKeys.self)
    try container.encode(output, forKey: .output)
    try container.encode(completion, forKey: .completion)
  }
}

extension Record.Recording: Decodable where Output: Decodable, Failure: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RecordingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
  }
}

extension Record: Encodable where Output: Encodable, Failure: Encodable {}
extension Record: Decodable where Output: Decodable, Failure: Decodable {}
