#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Owns a name and answers nothing: own-name.py BUS-ADDRESS NAME. Exits at the end of its input."""

import sys

from wire import Peer

peer = Peer(sys.argv[1])
peer.ask_bus("RequestName", "su", [sys.argv[2], 4])
print("ready", flush=True)
sys.stdin.read()
