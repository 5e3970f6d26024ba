// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

nonisolated extension Value {
  /// Creates the value of an option in its D-Bus type, `type`.
  package init(_ value: OptionValue, as type: String) {
    self =
      switch value {
      case .text(let text): .string(text)
      case .truth(let truth): .boolean(truth)
      case .number(let number): type == "u" ? .uint32(UInt32(exactly: number) ?? 0) : .double(number)
      }
  }
}
