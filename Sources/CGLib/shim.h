// GLib for Swift: the main loop, with a source of its own for descriptors. And system calls for descriptors that
// Swift's Glibc module leaves out.
#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <glib-unix.h>
#include <glib.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// What a descriptor's source calls; answers whether the source goes on.
typedef gboolean (*cglib_descriptor_callback)(GIOCondition ready, gpointer data);

/// A source for one descriptor that can be paused, which GLib's own (g_unix_fd_source_new) cannot.
typedef struct {
    GSource source;
    int descriptor;
    GIOCondition condition;
    gpointer tag; // NULL while it is paused
} cglib_descriptor_source;

static inline gboolean cglib_descriptor_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
    cglib_descriptor_source *self = (cglib_descriptor_source *)source;
    GIOCondition ready = self->tag ? g_source_query_unix_fd(source, self->tag) : (GIOCondition)0;
    if (ready == 0 || callback == NULL)
        return G_SOURCE_CONTINUE;
    return ((cglib_descriptor_callback)(void (*)(void))callback)(ready, data);
}

/// Watches the descriptor; does nothing if it is watched already.
static inline void cglib_descriptor_source_resume(GSource *source)
{
    cglib_descriptor_source *self = (cglib_descriptor_source *)source;
    if (self->tag == NULL)
        self->tag = g_source_add_unix_fd(source, self->descriptor, self->condition);
}

/// Does not watch the descriptor, not even for errors and its end, until it is resumed.
static inline void cglib_descriptor_source_pause(GSource *source)
{
    cglib_descriptor_source *self = (cglib_descriptor_source *)source;
    if (self->tag != NULL)
        g_source_remove_unix_fd(source, self->tag);
    self->tag = NULL;
}

/// Makes a source that watches a descriptor. `notify` is called with `data` when the source is destroyed.
static inline GSource *cglib_descriptor_source_new(
    int descriptor, GIOCondition condition, cglib_descriptor_callback callback, gpointer data, GDestroyNotify notify)
{
    static GSourceFuncs functions = {.dispatch = cglib_descriptor_dispatch};
    GSource *source = g_source_new(&functions, sizeof(cglib_descriptor_source));
    cglib_descriptor_source *self = (cglib_descriptor_source *)source;
    self->descriptor = descriptor;
    self->condition = condition;
    self->tag = NULL;
    cglib_descriptor_source_resume(source);
    g_source_set_callback(source, (GSourceFunc)(void (*)(void))callback, data, notify);
    return source;
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
/// Packet i is put at `buffer + i * size` and cut off there if it is longer; its length goes to `lengths[i]`. Returns
/// how many there were, or -1 with errno. `is_at_end` becomes 1 if the other end has closed and nothing is left.
static inline int cglib_receive_packets(int descriptor, void *buffer, size_t size, unsigned *lengths, int *is_at_end)
{
    // struct mmsghdr, which is there for GNU sources only.
    struct {
        struct msghdr header;
        unsigned length;
    } packets[cglib_packet_limit] = {0};
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
