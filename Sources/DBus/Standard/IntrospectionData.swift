// SPDX-License-Identifier: Apache-2.0
/// Generates the reply to `Introspect`. Sorted, so that it is deterministic.
enum IntrospectionData {
  static func document(interfaces: [Implementation], children: [String]) -> String {
    let tables = interfaces.map(\.table).sorted { $0.name < $1.name }
    return doctype + "<node>\n" + standard + tables.map(\.xml).joined()
      + children.map { " <node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
  }

  private static let doctype = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

    """

  private static let standard = """
     <interface name="org.freedesktop.DBus.Introspectable">
      <method name="Introspect">
       <arg name="xml_data" type="s" direction="out"/>
      </method>
     </interface>
     <interface name="org.freedesktop.DBus.Peer">
      <method name="GetMachineId">
       <arg name="machine_uuid" type="s" direction="out"/>
      </method>
      <method name="Ping"/>
     </interface>
     <interface name="org.freedesktop.DBus.Properties">
      <method name="Get">
       <arg name="interface_name" type="s" direction="in"/>
       <arg name="property_name" type="s" direction="in"/>
       <arg name="value" type="v" direction="out"/>
      </method>
      <method name="GetAll">
       <arg name="interface_name" type="s" direction="in"/>
       <arg name="properties" type="a{sv}" direction="out"/>
      </method>
      <method name="Set">
       <arg name="interface_name" type="s" direction="in"/>
       <arg name="property_name" type="s" direction="in"/>
       <arg name="value" type="v" direction="in"/>
      </method>
      <signal name="PropertiesChanged">
       <arg name="interface_name" type="s"/>
       <arg name="changed_properties" type="a{sv}"/>
       <arg name="invalidated_properties" type="as"/>
      </signal>
     </interface>

    """
}

extension InterfaceTable {
  /// Returns the XML of one interface with members sorted by kind and name. Names and signatures need no escaping.
  func introspectionXML() -> String {
    var lines = [" <interface name=\"\(name)\">"]
    for method in methods.values.sorted(by: { $0.name < $1.name }) {
      lines += element(
        "method", "name=\"\(method.name)\"",
        method.inputs.xml(direction: " direction=\"in\"") + method.outputs.xml(direction: " direction=\"out\""))
    }
    for (name, arguments) in signals.sorted(by: { $0.key < $1.key }) {
      lines += element("signal", "name=\"\(name)\"", arguments.xml(direction: ""))
    }
    for property in sortedProperties {
      let access = property.write == nil ? "read" : "readwrite"
      let annotation = "org.freedesktop.DBus.Property.EmitsChangedSignal"
      lines += element(
        "property", "name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"",
        ["   <annotation name=\"\(annotation)\" value=\"\(property.emits.rawValue)\"/>"])
    }
    return (lines + [" </interface>\n"]).joined(separator: "\n")
  }

  private func element(_ tag: String, _ attributes: String, _ content: [String]) -> [String] {
    content.isEmpty ? ["  <\(tag) \(attributes)/>"] : ["  <\(tag) \(attributes)>"] + content + ["  </\(tag)>"]
  }
}

nonisolated extension Arguments {
  fileprivate func xml(direction: String) -> [String] {
    list.map { "   <arg name=\"\($0.name)\" type=\"\($0.type)\"\(direction)/>" }
  }
}
