// SPDX-License-Identifier: Apache-2.0
import DBus

/// The names of the published contract.
public enum ServiceNames {
  public static let service: BusName = "org.geopublicist.Location1"
  public static let path: ObjectPath = "/org/geopublicist/Location1"
  public static let subscriptionsPath: ObjectPath = "/org/geopublicist/Location1/subscription"
  public static let manager: InterfaceName = "org.geopublicist.Location1"
  public static let subscription: InterfaceName = "org.geopublicist.Location1.Subscription"
}
