#!/usr/bin/python3
"""Owns a name and answers nothing: own-name.py BUS-ADDRESS NAME. The end of its input ends it."""

import sys

import dbus.bus

bus = dbus.bus.BusConnection(sys.argv[1])
bus.request_name(sys.argv[2])
print("ready", flush=True)
sys.stdin.read()
