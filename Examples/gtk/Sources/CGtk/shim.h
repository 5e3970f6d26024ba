// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtk/gtk.h>

/* GTK's casts and g_signal_connect() are macros that Swift does not import. */
static inline void cgtk_add(GtkWidget *container, GtkWidget *child) { gtk_container_add(GTK_CONTAINER(container), child); }
static inline void cgtk_set_text(GtkWidget *label, const char *text) { gtk_label_set_text(GTK_LABEL(label), text); }
static inline void cgtk_quit_when_closed(GtkWidget *window) {
  g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
}
