// SPDX-License-Identifier: Apache-2.0
/* Follows the location with QtDBus and the code that qdbusxml2cpp generates from the published XML, across restarts of the
 * service (packages qt6-base-dev and qt6-base-dev-tools):
 *
 *   cd /usr/share/dbus-1/interfaces
 *   qdbusxml2cpp -N -i location_types.h -p location1 org.geopublicist.Location1.xml
 *   qdbusxml2cpp -N -i location_types.h -p subscription1 org.geopublicist.Location1.Subscription.xml
 *   moc location1.h -o moc_location1.cpp; moc subscription1.h -o moc_subscription1.cpp
 *   c++ -fPIC -o watch_qt *.cpp $(pkg-config --cflags --libs Qt6DBus)
 *
 *   watch_qt BUS-ADDRESS|system|session LEVEL METRES COUNT
 */
#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMetaType>
#include <QDBusServiceWatcher>
#include <cstdio>
#include <memory>

#include "location1.h"
#include "location_types.h"
#include "subscription1.h"

using Manager = OrgGeopublicistLocation1Interface;
using Subscription = OrgGeopublicistLocation1SubscriptionInterface;

static const QString name = QStringLiteral("org.geopublicist.Location1");

static QDBusConnection connectTo(const QString &bus)
{
  if (bus == "system")
    return QDBusConnection::systemBus();
  return bus == "session" ? QDBusConnection::sessionBus() : QDBusConnection::connectToBus(bus, "watch");
}

class Watch {
public:
  Watch(const QDBusConnection &connection, const QStringList &arguments)
    : connection(connection), arguments(arguments),
      owners(name, connection, QDBusServiceWatcher::WatchForOwnerChange)
  {
    QObject::connect(&owners, &QDBusServiceWatcher::serviceOwnerChanged,
                     [this](const QString &, const QString &, const QString &owner) { changed(!owner.isEmpty()); });
    changed(this->connection.interface()->isServiceRegistered(name));
  }

private:
  void changed(bool isRunning)
  {
    if (isRunning)
      return subscribe();
    // The service has exited or was never started: ask the bus to start it.
    connection.interface()->asyncCall("StartServiceByName", name, 0u);
  }

  void subscribe()
  {
    if (subscription) // The service keeps it if the bus has closed the service's connection.
      connection.asyncCall(
        QDBusMessage::createMethodCall(name, subscription->path(), name + ".Subscription", "Close"));
    Manager manager(name, "/org/geopublicist/Location1", connection);
    QDBusPendingReply<QDBusObjectPath> reply = manager.CreateSubscription({
      { "accuracy", arguments[2] },
      { "distance-threshold", arguments[3].toDouble() },
      { "max-updates", arguments[4].toUInt() - shown },
    });
    reply.waitForFinished();
    if (reply.isError()) {
      fprintf(stderr, "%s\n", qPrintable(reply.error().message()));
      return;
    }
    subscription = std::make_unique<Subscription>(name, reply.value().path(), connection);
    QObject::connect(subscription.get(), &Subscription::LocationUpdated, [this](const QVariantMap &location) {
      shown++;
      print(QString::asprintf("location %.4f %.4f %s", location["Latitude"].toDouble(), location["Longitude"].toDouble(),
                              qPrintable(location["Level"].toString())));
    });
    QObject::connect(subscription.get(), &Subscription::AuthorizationChanged,
                     [this](const QString &status, const QString &reason) {
                       QString told = QString("authorization %1 %2").arg(status, reason).trimmed();
                       if (told != authorization) // Each subscription reports it once.
                         print(told);
                       authorization = told;
                     });
    QObject::connect(subscription.get(), &Subscription::Closed, [](const QString &reason) {
      if (reason == "shutdown" || reason == "by-consumer")
        return;
      print("closed " + reason);
      QCoreApplication::quit();
    });
    subscription->Start();
  }

  static void print(const QString &line)
  {
    printf("%s\n", qPrintable(line));
    fflush(stdout);
  }

  QDBusConnection connection;
  QStringList arguments;
  QDBusServiceWatcher owners;
  std::unique_ptr<Subscription> subscription;
  QString authorization;
  uint shown = 0;
};

int main(int argc, char **argv)
{
  QCoreApplication program(argc, argv);
  if (argc != 5) {
    fprintf(stderr, "usage: %s BUS LEVEL METRES COUNT\n", argv[0]);
    return 2;
  }
  qDBusRegisterMetaType<LocationLimits>();
  qDBusRegisterMetaType<LocationSubscriptions>();
  qDBusRegisterMetaType<LocationTime>();
  QDBusConnection connection = connectTo(argv[1]);
  if (!connection.isConnected()) {
    fprintf(stderr, "%s\n", qPrintable(connection.lastError().message()));
    return 1;
  }
  Watch watch(connection, program.arguments());
  return program.exec();
}
