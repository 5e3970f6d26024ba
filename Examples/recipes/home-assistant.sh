#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes this computer a device tracker of Home Assistant, through its MQTT broker. Every client of the broker
# can read where this computer is, so the level is coarse and no location is retained.
#
#   home-assistant.sh BROKER [LEVEL]
#
# Options of mosquitto_pub, such as a user and a password, belong in ~/.config/mosquitto_pub, which only you can read.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 BROKER [LEVEL]" >&2; exit 2; }
name=$(uname -n | tr -c 'A-Za-z0-9\n' _)
mosquitto_pub -h "$1" -q 1 -r -t "homeassistant/device_tracker/$name/config" -m "$(jq -nc --arg name "$name" '{
  name: null, unique_id: "geopublicist_\($name)", source_type: "gps",
  json_attributes_topic: "geopublicist/\($name)/attributes",
  device: {identifiers: ["geopublicist_\($name)"], name: $name}}')"
geopublicist watch --json --accuracy "${2:-neighborhood}" --distance 100m |
  jq --unbuffered -c 'select(.Latitude) | {latitude: .Latitude, longitude: .Longitude, gps_accuracy: .Accuracy}' |
  mosquitto_pub -h "$1" -q 1 -l -t "geopublicist/$name/attributes"
