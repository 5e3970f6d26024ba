# SPDX-License-Identifier: Apache-2.0
"""A GPS receiver that GeoClue reads from. A restarted GeoClue reconnects."""

import os
import socket
import time


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
        """Writes a fix between 52 and 53 degrees north. Returns false if GeoClue does not read."""
        try:
            while True:
                self.reader = self.listener.accept()[0]
        except BlockingIOError:
            pass
        if not self.reader:
            return False
        minutes = (latitude - 52) * 60
        body = time.strftime("GPGGA,%H%M%S.00,", time.gmtime()) + f"52{minutes:010.7f},N,01322.0000000,E,1,08,1.4,34.0,M,46.9,M,,"
        checksum = 0
        for byte in body.encode():
            checksum ^= byte
        try:
            self.reader.sendall(f"${body}*{checksum:02X}\r\n".encode())
        except OSError:
            self.hang_up()
            return False
        return True
