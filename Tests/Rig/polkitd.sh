#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs polkitd on one processor, as a real-time process where that is allowed.
#
# polkitd runs each script of its rules on another thread. If the script ends just before the main thread begins to wait
# for it, polkitd (122 to 126) misses that, stalls for 15 s and ignores the script. On one processor, the other thread
# runs only while the main thread waits or is preempted, and other programs do not preempt a real-time process.
set -eu
allowed=$(taskset -cp $$)
allowed=${allowed##*: }
realtime=
if chrt --fifo 1 true 2>/dev/null; then realtime="chrt --fifo 1"; fi
exec $realtime taskset -c "${allowed%%[-,]*}" /usr/lib/polkit-1/polkitd
