// SPDX-License-Identifier: Apache-2.0
/* Consecutive calls, and waiting for names. */
#pragma once
#include "connection.h"

/* `what`: get (a property) or location, from the owner of the service's name; or geoclue-get. */
void measure_calls(const char *address, const char *what, int count, long long *times);

void watch_owner(struct connection *connection, const char *name);
/* Waits until the name has an owner, or has none if `owned` is false. */
void await_owner(struct connection *connection, bool owned);
