// SPDX-License-Identifier: Apache-2.0
/* Who is called what. */
#pragma once
#include <dbus/dbus.h>

#define GEOCLUE "org.freedesktop.GeoClue2"
#define GEOCLUE_CLIENT "org.freedesktop.GeoClue2.Client"
#define BRIDGE_NAME "org.geopublicist.Location1"
#define BRIDGE_PATH "/org/geopublicist/Location1"
#define BRIDGE_SUBSCRIPTION "org.geopublicist.Location1.Subscription"
#define RAW_PATH "/org/geopublicist/Location1/subscription/1"

/* An empty a{sv} as argument. */
void append_options(DBusMessage *call);
