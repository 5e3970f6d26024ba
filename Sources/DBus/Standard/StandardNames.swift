// SPDX-License-Identifier: Apache-2.0
// MARK: - Names defined by D-Bus itself
nonisolated extension InterfaceName {
  /// The interface of the bus itself.
  public static let bus = InterfaceName("org.freedesktop.DBus")
  /// `Get`, `GetAll`, `Set` and the signal `PropertiesChanged`.
  public static let properties = InterfaceName("org.freedesktop.DBus.Properties")
  /// `Introspect`.
  public static let introspectable = InterfaceName("org.freedesktop.DBus.Introspectable")
  /// `Ping` and `GetMachineId`.
  public static let peer = InterfaceName("org.freedesktop.DBus.Peer")
}

nonisolated extension ObjectPath {
  /// The object of the bus itself.
  public static let bus = ObjectPath("/org/freedesktop/DBus")
}

nonisolated extension BusName {
  /// The name of a connection to which the bus has not assigned one yet. The bus assigns it to nobody.
  public static let unassigned = BusName(unchecked: ":0")
}

nonisolated extension MemberName {
  /// The signal of ``InterfaceName/properties``.
  public static let propertiesChanged = MemberName("PropertiesChanged")
}

nonisolated extension MatchRule {
  /// Matches changes of a name's owner.
  static func nameOwnerChanged(of name: BusName) -> MatchRule {
    MatchRule(sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged", argument0: name.rawValue)
  }

  /// Matches connections that leave the bus and names that lose their owner.
  public static let nameVanished = MatchRule(
    sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged", argument2: "")
}
