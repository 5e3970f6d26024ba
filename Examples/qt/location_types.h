// SPDX-License-Identifier: Apache-2.0
// The types that the annotations in the published XML name; include it in code that qdbusxml2cpp generates (-i).
#pragma once

#include <QDBusArgument>
#include <QList>
#include <QMap>
#include <QMetaType>
#include <QString>
#include <QVariantMap>

using LocationLimits = QMap<QString, uint>;
using LocationSubscriptions = QList<QVariantMap>;

// A time: seconds and microseconds since 1970.
struct LocationTime {
  quint64 seconds = 0;
  quint64 microseconds = 0;
};

inline QDBusArgument &operator<<(QDBusArgument &argument, const LocationTime &time)
{
  argument.beginStructure();
  argument << time.seconds << time.microseconds;
  argument.endStructure();
  return argument;
}

inline const QDBusArgument &operator>>(const QDBusArgument &argument, LocationTime &time)
{
  argument.beginStructure();
  argument >> time.seconds >> time.microseconds;
  argument.endStructure();
  return argument;
}

Q_DECLARE_METATYPE(LocationLimits)
Q_DECLARE_METATYPE(LocationSubscriptions)
Q_DECLARE_METATYPE(LocationTime)
