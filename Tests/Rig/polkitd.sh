#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs polkitd on one processor.
#
# polkitd runs each script of its rules on another thread. If the script ends just before the main thread begins to wait for
# it, polkitd (122 to 126) misses that, stalls for 15 s and ignores the script. On one processor, the other thread begins
# only when the main thread waits.
set -eu
allowed=$(taskset -cp $$)
allowed=${allowed##*: }
exec taskset -c "${allowed%%[-,]*}" /usr/lib/polkit-1/polkitd
