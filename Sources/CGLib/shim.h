// GLib for Swift: the main loop, and the one cast that Swift cannot spell. And system calls for descriptors that Swift's
// Glibc module leaves out.
#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <glib.h>
#include <glib-unix.h>
#include <stdint.h>
#include <sys/epoll.h>
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

/// Prepares a socket for `cglib_receive_packets`: setsockopt(2).
///
/// Every packet then comes with its sender's credentials. They are not wanted and there is no room for them, but that
/// the kernel says so is what sets an empty packet apart from the end of the connection.
static inline int cglib_mark_packets(int descriptor)
{
    int on = 1;
    return setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

/// Receives all packets that wait in a socket, `cglib_packet_limit` at most, without waiting for one: recvmmsg(2).
///
/// Packet i is put at `buffer + i * size` and cut off there if it is longer; its length goes to `lengths[i]`. Returns how
/// many there were, or -1 with errno. `is_at_end` becomes 1 if the other end has closed and nothing is left.
static inline int cglib_receive_packets(int descriptor, void *buffer, size_t size, unsigned *lengths, int *is_at_end)
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
    for (int i = 0; i < count; i++) {
        if (packets[i].length == 0 && !(packets[i].header.msg_flags & MSG_CTRUNC)) {
            *is_at_end = 1;
            return i;
        }
        lengths[i] = packets[i].length;
    }
    return count;
}

/// Watches a descriptor for something to read, or for its end, under a number; or watches it no more: epoll_ctl(2).
static inline int cglib_epoll_watch(int epoll, int descriptor, uint64_t number)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int cglib_epoll_unwatch(int epoll, int descriptor)
{
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

/// Waits until there is something, and puts the numbers of what is ready into `numbers`, `cglib_epoll_limit` at most.
/// Returns how many, or -1 with errno: epoll_wait(2).
enum { cglib_epoll_limit = 64 };

static inline int cglib_epoll_wait(int epoll, uint64_t *numbers)
{
    struct epoll_event events[cglib_epoll_limit];
    int count = epoll_wait(epoll, events, cglib_epoll_limit, -1);
    for (int i = 0; i < count; i++)
        numbers[i] = events[i].data.u64;
    return count;
}

#endif
