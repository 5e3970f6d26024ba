// SPDX-License-Identifier: Apache-2.0
/// What a location was determined with; the raw values are those of `Source` in the D-Bus contract.
public enum SourceKind: String, CaseIterable, Sendable {
  /// A satellite receiver.
  case gnss
  /// Wi-Fi access points.
  case wifi
  /// Mobile phone cells.
  case cell
  /// The network address, which may be kilometres off or that of a provider.
  case ip
  /// What an administrator has entered.
  case `static`
  /// A recorded track.
  case replay
  /// Not known, or not told.
  case unknown
}
