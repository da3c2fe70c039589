// GLib for Swift: the main loop, and the one cast that Swift cannot spell.
#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <glib.h>
#include <glib-unix.h>
#include <sys/eventfd.h>

/// Sets the callback of a source made by g_unix_fd_source_new, whose callback has a type of its own.
static inline void cglib_unix_fd_source_set_callback(
    GSource *source, GUnixFDSourceFunc callback, gpointer data, GDestroyNotify destroy)
{
    g_source_set_callback(source, G_SOURCE_FUNC(callback), data, destroy);
}

#endif
