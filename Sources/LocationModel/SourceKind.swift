// SPDX-License-Identifier: Apache-2.0
/// How a location was determined; the raw values are those of `Source` in the D-Bus contract.
public enum SourceKind: String, CaseIterable, Sendable {
  /// A satellite receiver.
  case gnss
  /// Wi-Fi access points.
  case wifi
  /// Mobile phone cells.
  case cell
  /// The network address, which may be kilometres off or that of a provider.
  case ip
  /// A fixed location entered by an administrator.
  case `static`
  /// A recorded track.
  case replay
  /// Not known.
  case unknown
}
