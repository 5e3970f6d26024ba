# SPDX-License-Identifier: Apache-2.0
"""Sends messages of a given size to a connection, as signals and as the reply to every call.

    huge-sender.py ADDRESS DESTINATION BYTES

Sends a signal with an `ay` of that size to DESTINATION and broadcasts one, prints its unique name, and then answers
each call with a variant of that size, or with an error whose text is that long if the member is `Refuse`.
"""

import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Rig"))

from wire import CALL, ERROR, MEMBER, REPLY, SENDER, SIGNAL, Peer

address, destination, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
peer = Peer(address)
content = struct.pack("<I", size) + b"x" * size
for receiver in destination, None:
    peer.send(SIGNAL, content, path="/a", interface="a.b", member="S", signature="ay", destination=receiver)
print(peer.name, flush=True)
while True:
    call = peer.receive(None)
    if call.kind == CALL:
        answer = {"destination": call.fields[SENDER], "reply": call.serial}
        if call.fields[MEMBER] == "Refuse":
            peer.send(ERROR, content + b"\0", error="a.b.Error", signature="s", **answer)
        else:
            peer.send(REPLY, b"\2ay\0" + content, signature="v", **answer)
