// SPDX-License-Identifier: Apache-2.0
/* Calls one after the other, and names that get owners. */
#pragma once
#include "connection.h"

/* WHAT: get (a property) or location, of whoever is the service; geoclue-get. */
void measure_calls(const char *address, const char *what, int count, long long *times);

void watch_owner(struct connection *connection, const char *name);
/* Waits until the name has an owner, or has none. */
void await_owner(struct connection *connection, bool owned);
