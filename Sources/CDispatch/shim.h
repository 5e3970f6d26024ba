// SPDX-License-Identifier: Apache-2.0
#pragma once

/* How a foreign run loop serves the main queue; what CoreFoundation's run loop uses on Linux. libdispatch exports both for
   that purpose but declares them in a private header. */

/* The descriptor, an eventfd, that is readable while the main queue has work. */
int _dispatch_get_main_queue_handle_4CF(void);

/* Runs the work that the main queue has. The argument is not used. */
void _dispatch_main_queue_callback_4CF(void *message);
