// SPDX-License-Identifier: Apache-2.0
/// Selects signals to receive from the bus.
nonisolated public struct MatchRule: Hashable, Sendable {
  /// The sender: a unique name, or a well-known one, which stands for its current owner; nil for any.
  public var sender: BusName?
  /// The object; nil for any.
  public var path: ObjectPath?
  /// The interface; nil for any.
  public var interface: InterfaceName?
  /// The signal; nil for all of the interface.
  public var member: MemberName?
  /// The required first argument.
  public var argument0: String?
  /// The required third argument: empty selects the names that have lost their owner in `NameOwnerChanged`.
  public var argument2: String?

  /// Selects the signals that match all given criteria; without any, every signal.
  public init(
    sender: BusName? = nil, path: ObjectPath? = nil, interface: InterfaceName? = nil, member: MemberName? = nil,
    argument0: String? = nil, argument2: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.argument0 = argument0
    self.argument2 = argument2
  }

  /// The rule in the syntax of the bus.
  var text: String {
    var parts = ["type='signal'"]
    func add(_ key: String, _ value: String?) {
      // Within single quotes an apostrophe is written as: end quote, escaped apostrophe, quote again.
      if let value {
        // Not by characters: an apostrophe and a mark that combines with it are one that is no apostrophe.
        let quoted = value.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined()
        parts.append("\(key)='\(quoted)'")
      }
    }
    add("sender", sender?.rawValue)
    add("path", path?.rawValue)
    add("interface", interface?.rawValue)
    add("member", member?.rawValue)
    add("arg0", argument0)
    add("arg2", argument2)
    return parts.joined(separator: ",")
  }

  /// Whether the header fits; the sender is compared only where the rule names a unique name or the bus itself,
  /// since a message never carries a well-known one.
  func matches(_ header: SignalHeader) -> Bool {
    if let sender, sender.isUnique || sender == .bus, sender != header.sender { return false }
    return (path == nil || path == header.path) && (interface == nil || interface == header.interface)
      && (member == nil || member == header.member)
  }

  /// Whether the arguments fit.
  func matches(arguments: [Value]) -> Bool {
    func matches(_ wanted: String?, _ index: Int) -> Bool {
      guard let wanted else { return true }
      return arguments.indices.contains(index) && arguments[index].string == wanted
    }
    return matches(argument0, 0) && matches(argument2, 2)
  }
}
