// SPDX-License-Identifier: Apache-2.0
/* N clients of one kind, each with its own connection, served by one poll. */
#pragma once
#include "connection.h"

enum kind {
  /* Each has a GeoClue client: a signal, then GetAll on the location that it names. */
  DIRECT,
  /* Each has a subscription: one signal. */
  SERVICE,
  /* Receivers of the minimal sender's signal. */
  RAW,
};

void clients_join(enum kind kind, const char *address, int count, const char *sender);
void clients_leave(void);
/* Sets whether new clients add match rules, as most libraries do. */
void clients_add_rules(bool add);
/* Writes the unique names to the descriptor, one per line. */
void clients_print_names(int fd);
/* Serves all clients until each has this latitude. Returns the time at which the last one received it, in ns. */
long long clients_await(double latitude);
/* Reads pending input. */
void clients_drain(void);
