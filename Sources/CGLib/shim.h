// GLib for Swift: the main loop, and the one cast that Swift cannot spell. And one system call for descriptors on that
// loop that Swift's Glibc module leaves out.
#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <glib.h>
#include <glib-unix.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Sets the callback of a source made by g_unix_fd_source_new, whose callback has a type of its own.
static inline void cglib_unix_fd_source_set_callback(
    GSource *source, GUnixFDSourceFunc callback, gpointer data, GDestroyNotify destroy)
{
    g_source_set_callback(source, G_SOURCE_FUNC(callback), data, destroy);
}

enum { cglib_packet_limit = 64 };

/// Receives all packets that wait in a socket, `cglib_packet_limit` at most, without waiting for one: recvmmsg(2).
///
/// Packet i is put at `buffer + i * size` and cut off there if it is longer; its length goes to `lengths[i]`. Returns how
/// many there were, or -1 with errno.
static inline int cglib_receive_packets(int descriptor, void *buffer, size_t size, unsigned *lengths)
{
    // struct mmsghdr, which is there for GNU sources only.
    struct { struct msghdr header; unsigned length; } packets[cglib_packet_limit] = {0};
    struct iovec vectors[cglib_packet_limit];
    for (int i = 0; i < cglib_packet_limit; i++) {
        vectors[i] = (struct iovec){(char *)buffer + i * size, size};
        packets[i].header.msg_iov = &vectors[i];
        packets[i].header.msg_iovlen = 1;
    }
    int count = (int)syscall(SYS_recvmmsg, descriptor, packets, cglib_packet_limit, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++)
        lengths[i] = packets[i].length;
    return count;
}

#endif
