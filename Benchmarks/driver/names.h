// SPDX-License-Identifier: Apache-2.0
/* D-Bus names. */
#pragma once
#include <dbus/dbus.h>

#define GEOCLUE "org.freedesktop.GeoClue2"
#define GEOCLUE_CLIENT "org.freedesktop.GeoClue2.Client"
#define SERVICE_NAME "org.geopublicist.Location1"
#define SERVICE_PATH "/org/geopublicist/Location1"
#define SERVICE_SUBSCRIPTION "org.geopublicist.Location1.Subscription"
#define RAW_PATH "/org/geopublicist/Location1/subscription/1"

/* Appends an empty a{sv}. */
void append_options(DBusMessage *call);
