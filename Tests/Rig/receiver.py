# SPDX-License-Identifier: Apache-2.0
"""A GPS receiver that GeoClue reads from. A restarted GeoClue reconnects."""

import os
import socket

import nmea


class Receiver:
    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        os.chmod(path, 0o777)
        self.listener.listen()
        self.listener.setblocking(False)
        self.reader = None

    def hang_up(self):
        if self.reader:
            self.reader.close()
        self.reader = None

    def write(self, latitude):
        """Writes a fix. Returns false if GeoClue does not read."""
        try:
            while True:
                self.reader = self.listener.accept()[0]
        except BlockingIOError:
            pass
        if not self.reader:
            return False
        try:
            self.reader.sendall(nmea.sentence(latitude, 13 + 22 / 60, 34))
        except OSError:
            self.hang_up()
            return False
        return True
