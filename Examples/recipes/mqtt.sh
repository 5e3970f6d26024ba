#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Publishes the location to an MQTT broker, one JSON object for each 100 metres. Every subscriber of the topic learns where
# this machine is: the level is coarse for that reason.
#
#   mqtt.sh BROKER TOPIC [LEVEL]
set -eu
[ $# -ge 2 ] || { echo "usage: $0 BROKER TOPIC [LEVEL]" >&2; exit 2; }
geopublicist watch --json --accuracy "${3:-neighborhood}" --distance 100m |
  grep --line-buffered '"Latitude"' | # without the events that report an interruption
  mosquitto_pub -h "$1" -t "$2" -l
