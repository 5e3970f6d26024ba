// SPDX-License-Identifier: Apache-2.0
/* A GPS receiver: a unix socket from which GeoClue reads sentences. */
#pragma once

void receiver_listen(const char *path);
/* Waits until GeoClue reads, or, with `wanted` 0, until it has hung up: closing first would cost it the source. */
void receiver_await(int wanted);
/* Writes a fix at this latitude; GeoClue has to have read the one before. Returns when the write began, ns. */
long long receiver_write(double latitude);
/* The latitude that GeoClue makes of the sentence. */
double receiver_step(long number);
