#pragma once
#include <glib.h>
#include <glib-unix.h>
#include <sys/signalfd.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
