// SPDX-License-Identifier: Apache-2.0
/// How a location was determined. Raw values as in `Source` of the D-Bus contract.
public enum SourceKind: String, CaseIterable, Sendable {
  /// A satellite receiver.
  case gnss
  /// Wi-Fi access points.
  case wifi
  /// Mobile phone cells.
  case cell
  /// The network address, which may be off by kilometres or belong to a provider.
  case ip
  /// A fixed location entered by an administrator.
  case `static`
  /// A recorded track.
  case replay
  /// Not known.
  case unknown
}
