// SPDX-License-Identifier: Apache-2.0
/// Selects signals to receive from the bus.
nonisolated public struct MatchRule: Hashable, Sendable {
  /// The sender's unique name, or a well-known name that stands for its current owner, or nil for any sender.
  public var sender: BusName?
  /// The path of the object, or nil for any.
  public var path: ObjectPath?
  /// The interface, or nil for any.
  public var interface: InterfaceName?
  /// The name of the signal, or nil for any.
  public var member: MemberName?
  /// The required first argument.
  public var argument0: String?
  /// The required third argument. In `NameOwnerChanged`, an empty third argument selects names that have lost their
  /// owner.
  public var argument2: String?

  /// Selects signals that match all given criteria. Without criteria, every signal matches.
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

  /// The rule in the bus's syntax.
  var text: String {
    var parts = ["type='signal'"]
    func add(_ key: String, _ value: String?) {
      // An apostrophe is written as: end quote, escaped apostrophe, begin quote.
      if let value {
        // By scalars, because an apostrophe followed by a combining mark is a single character that does not equal "'".
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

  /// Returns whether the header matches. The sender is compared only if the rule contains a unique name or the bus
  /// itself, because messages never contain well-known sender names.
  func matches(header: Signal) -> Bool {
    if let sender, sender.isUnique || sender == .bus, sender != header.sender { return false }
    return (path == nil || path == header.path) && (interface == nil || interface == header.interface)
      && (member == nil || member == header.member)
  }

  func matches(arguments: [Value]) -> Bool {
    func matches(_ wanted: String?, _ index: Int) -> Bool {
      guard let wanted else { return true }
      return arguments.indices.contains(index) && arguments[index].string == wanted
    }
    return matches(argument0, 0) && matches(argument2, 2)
  }
}
