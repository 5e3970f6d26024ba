// SPDX-License-Identifier: Apache-2.0
/* D-Bus names. */
#pragma once

#define GEOCLUE "org.freedesktop.GeoClue2"
#define GEOCLUE_CLIENT "org.freedesktop.GeoClue2.Client"
#define SERVICE_NAME "org.geopublicist.Location1"
#define SERVICE_PATH "/org/geopublicist/Location1"
#define SERVICE_SUBSCRIPTION "org.geopublicist.Location1.Subscription"
#define RAW_PATH "/org/geopublicist/Location1/subscription/1"
