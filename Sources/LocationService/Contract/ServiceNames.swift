// SPDX-License-Identifier: Apache-2.0
import DBus

/// The names of the published contract.
nonisolated public enum ServiceNames {
  public static let service: BusName = "org.geopublicist.Location1"
  public static let path: ObjectPath = "/org/geopublicist/Location1"
  public static let subscriptionsPath: ObjectPath = "/org/geopublicist/Location1/subscription"
  public static let regionsPath: ObjectPath = "/org/geopublicist/Location1/region"
  public static let manager: InterfaceName = "org.geopublicist.Location1"
  public static let subscription: InterfaceName = "org.geopublicist.Location1.Subscription"
  public static let region: InterfaceName = "org.geopublicist.Location1.Region"
}
