// SPDX-License-Identifier: Apache-2.0
/* A GPS receiver: a Unix socket from which GeoClue reads NMEA sentences. */
#pragma once

void receiver_listen(const char *path);
/* Waits until GeoClue reads or, if `wanted` is 0, has hung up. If the receiver closed first, GeoClue would lose the source. */
void receiver_await(int wanted);
/* Writes a fix at this latitude. GeoClue must have read the previous one. Returns the start of the write in ns. */
long long receiver_write(double latitude);
/* Returns the latitude that GeoClue derives from the sentence. */
double receiver_step(long number);
