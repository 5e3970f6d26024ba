// SPDX-License-Identifier: Apache-2.0
/* N consumers of one kind, each with a connection of its own, served by one poll. */
#pragma once
#include "connection.h"

enum kind {
  /* A client object of GeoClue each: the signal, then GetAll on the location that it names. */
  DIRECT,
  /* A subscription each: one signal. */
  BRIDGE,
  /* Receivers of the minimal sender's signal. */
  RAW,
};

void consumers_join(enum kind kind, const char *address, int count, const char *sender);
void consumers_leave(void);
/* Whether those who join add match rules, as most libraries do. */
void consumers_add_rules(bool add);
/* The unique names, one a line, into `file`. */
void consumers_print_names(int fd);
/* Serves all until each one holds this latitude; returns the time at which the last one did, ns. */
long long consumers_await(double latitude);
/* Reads what has come meanwhile. */
void consumers_drain(void);
