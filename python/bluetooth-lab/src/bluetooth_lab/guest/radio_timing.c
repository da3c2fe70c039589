// Preloaded into btvirt: gives its controllers four habits of real ones that the kernel and bluetoothd rely on.
//
// An advertising report is delayed a little. btvirt answers "start to scan" and reports every advertiser at the same
// instant, once. The kernel drops reports that arrive before it has processed the answer, which is most of them, and
// then a scan finds nothing, however long it lasts. Radios do not hear an advertiser that soon.
//
// An attempt to connect lasts until the other side advertises or the attempt is cancelled, and always a little while.
// btvirt answers at once, with "failed to be established" if the other side is not advertising at that moment, for
// example because its host is about to start again. The kernel (6.12) can miss so fast an answer and then do nothing
// for 30 s.
//
// Encryption takes some of the link's intervals. btvirt completes it at once. The bluetoothd of a peripheral may still
// be setting up the link of a paired central then. The kernel refuses its request for encryption, because the link
// already has it ("setsockopt(BT_SECURITY): Invalid argument"), and the link stays silent.
//
// A reset ends the controller's links for the other side, too, as a supervision timeout would. btvirt forgets them on
// this side only. The kernel (6.12) leaves a controller advertising when it powers it off, so that others connect to
// it; after the controller is powered on again, they would keep that link forever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <time.h>

enum { command_packet = 0x01, event_packet = 0x04 };
enum {
    disconnect = 0x0406,
    reset = 0x0c03,
    create_connection = 0x200d,
    extended_create_connection = 0x2043,
    cancel_connection = 0x200e
};
enum { disconnection_complete = 0x05, command_complete = 0x0e, command_status = 0x0f, le_meta = 0x3e };
enum {
    connection_complete = 0x01,
    report = 0x02,
    long_term_key_request = 0x05,
    enhanced_connection_complete = 0x0a,
    extended_report = 0x0d
};
enum { success = 0x00, unknown_connection = 0x02, timeout_of_link = 0x08, failed_to_be_established = 0x3e };

static const struct timespec radio_delay = {.tv_nsec = 30 * 1000 * 1000};
static const struct timespec encryption_delay = {.tv_nsec = 300 * 1000 * 1000};
enum { attempt_pause = 20 }; // milliseconds until a failed attempt is repeated

// btvirt has one thread and one descriptor for each controller.
static struct controller {
    epoll_data_t data; // by which the main loop knows it
    uint8_t attempt[64]; // the command that began the attempt
    size_t length; // 0: there is no attempt
    bool waits; // has failed, and will be repeated
    bool is_due; // … by the next read
    bool is_repeated; // the kernel has its Command Status already
    bool is_cancelled;
    uint64_t due;
    int links[16]; // their handles
    size_t link_count;
    bool is_resetting; // the links are being ended, the reset follows
} controllers[256];

// The next library's function of this name, as `next`.
#define NEXT(name)                                 \
    static __typeof__(&name) next;                 \
    if (next == NULL) {                            \
        *(void **)&next = dlsym(RTLD_NEXT, #name); \
    }

static struct controller *controller(int descriptor)
{
    return descriptor >= 0 && descriptor < 256 ? &controllers[descriptor] : NULL;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

// Commands of the kernel.

static void forget_attempt(struct controller *c)
{
    c->length = 0;
    c->waits = c->is_due = c->is_repeated = c->is_cancelled = false;
}

static void take_command(struct controller *c, const uint8_t *packet, size_t length)
{
    int opcode = packet[1] | packet[2] << 8;
    if (opcode == create_connection || opcode == extended_create_connection) {
        forget_attempt(c);
        c->length = length <= sizeof c->attempt ? length : 0;
        memcpy(c->attempt, packet, c->length);
    } else if (opcode == cancel_connection && (c->waits || c->is_due)) {
        forget_attempt(c);
        c->is_cancelled = true;
    } else if (opcode == reset) {
        forget_attempt(c);
        c->is_resetting = c->link_count > 0;
    }
}

// What a controller reads when it is reset: a command to end each of its links, then the reset.
static ssize_t read_reset(struct controller *c, uint8_t *buffer)
{
    if (c->link_count > 0) {
        int link = c->links[--c->link_count];
        uint8_t packet[] = {command_packet, disconnect & 0xff, disconnect >> 8, 3, (uint8_t)link, (uint8_t)(link >> 8),
            timeout_of_link};
        memcpy(buffer, packet, sizeof packet);
        return sizeof packet;
    }
    c->is_resetting = false;
    uint8_t packet[] = {command_packet, reset & 0xff, reset >> 8, 0};
    memcpy(buffer, packet, sizeof packet);
    return sizeof packet;
}

ssize_t read(int descriptor, void *buffer, size_t size)
{
    NEXT(read);
    struct controller *c = controller(descriptor);
    if (c != NULL && c->is_due && c->length <= size) {
        c->is_due = false;
        c->is_repeated = true;
        memcpy(buffer, c->attempt, c->length);
        return (ssize_t)c->length;
    }
    enum { enough = 16 };
    if (c != NULL && c->is_resetting && size >= enough)
        return read_reset(c, buffer);
    ssize_t length = next(descriptor, buffer, size);
    if (c != NULL && length >= 4 && *(uint8_t *)buffer == command_packet)
        take_command(c, buffer, (size_t)length);
    if (c != NULL && c->is_resetting && size >= enough)
        return read_reset(c, buffer);
    return length;
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event)
{
    NEXT(epoll_ctl);
    struct controller *c = controller(descriptor);
    if (c != NULL && operation != EPOLL_CTL_DEL && event != NULL)
        c->data = event->data;
    return next(epoll, operation, descriptor, event);
}

static bool has_event(const struct epoll_event *events, int count, epoll_data_t data)
{
    for (int i = 0; i < count; i++)
        if (events[i].data.u64 == data.u64)
            return true;
    return false;
}

int epoll_wait(int epoll, struct epoll_event *events, int size, int timeout)
{
    NEXT(epoll_wait);
    for (struct controller *c = controllers; c < controllers + 256; c++)
        if (c->is_resetting)
            timeout = 0;
        else if (c->waits && (timeout < 0 || timeout > attempt_pause))
            timeout = attempt_pause;
    int count = next(epoll, events, size, timeout);
    for (struct controller *c = controllers; count >= 0 && count < size && c < controllers + 256; c++) {
        bool is_due = c->waits && c->due <= now();
        // btvirt drops a controller from which it reads nothing, so it must not get the event twice.
        if (!is_due && (!c->is_resetting || has_event(events, count, c->data)))
            continue;
        c->waits = c->waits && !is_due;
        c->is_due = is_due;
        events[count++] = (struct epoll_event){.events = EPOLLIN, .data = c->data};
    }
    return count;
}

// Answers of the controller.

// The bytes of an HCI packet may be spread over the vectors.
static int byte_at(const struct iovec *vectors, int count, size_t index)
{
    for (int i = 0; i < count; i++) {
        if (index < vectors[i].iov_len)
            return ((const uint8_t *)vectors[i].iov_base)[index];
        index -= vectors[i].iov_len;
    }
    return -1;
}

static int opcode_at(const struct iovec *vectors, int count, size_t index)
{
    return byte_at(vectors, count, index) | byte_at(vectors, count, index + 1) << 8;
}

static void remember_links(struct controller *c, const struct iovec *vectors, int count)
{
    int event = byte_at(vectors, count, 1), subevent = byte_at(vectors, count, 3);
    if (event == disconnection_complete) {
        int handle = opcode_at(vectors, count, 4);
        for (size_t i = 0; i < c->link_count; i++)
            if (c->links[i] == handle)
                c->links[i] = c->links[--c->link_count];
    } else if (event == le_meta && (subevent == connection_complete || subevent == enhanced_connection_complete) &&
               byte_at(vectors, count, 4) == success && c->link_count < sizeof c->links / sizeof *c->links) {
        c->links[c->link_count++] = opcode_at(vectors, count, 5);
    }
}

// Whether to hide this event of a reset from the kernel, which did not ask to end a link.
static bool belongs_to_reset(const struct controller *c, const struct iovec *vectors, int count)
{
    int event = byte_at(vectors, count, 1);
    return c->is_resetting &&
           (event == disconnection_complete || (event == command_status && opcode_at(vectors, count, 5) == disconnect));
}

// Whether to hide this event of an attempt from the kernel.
static bool is_hidden(struct controller *c, const struct iovec *vectors, int count)
{
    int event = byte_at(vectors, count, 1);
    if (event == command_status && c->is_repeated) {
        int opcode = opcode_at(vectors, count, 5);
        return opcode == create_connection || opcode == extended_create_connection;
    }
    int subevent = byte_at(vectors, count, 3);
    if (event != le_meta || (subevent != connection_complete && subevent != enhanced_connection_complete))
        return false;
    // Connections that the controller did not begin have the role of the peripheral.
    if (c->length == 0 || byte_at(vectors, count, 7) != 0)
        return false;
    if (byte_at(vectors, count, 4) != failed_to_be_established) {
        c->length = 0;
        return false;
    }
    c->waits = true;
    c->due = now() + attempt_pause;
    return true;
}

// Answers when an attempt is cancelled that btvirt has already forgotten.
static bool answer_cancel(struct controller *c, int descriptor, const struct iovec *vectors, int count)
{
    NEXT(writev);
    if (!c->is_cancelled || byte_at(vectors, count, 1) != command_complete ||
        opcode_at(vectors, count, 4) != cancel_connection)
        return false;
    c->is_cancelled = false;
    uint8_t complete[] = {
        event_packet, command_complete, 4, 1, cancel_connection & 0xff, cancel_connection >> 8, success};
    uint8_t ended[22] = {event_packet, le_meta, 19, connection_complete, unknown_connection};
    next(descriptor, &(struct iovec){complete, sizeof complete}, 1);
    next(descriptor, &(struct iovec){ended, sizeof ended}, 1);
    return true;
}

// How long a radio would have listened before this LE event. The end of an attempt has the role of the central.
static const struct timespec *time_on_the_air(const struct iovec *vectors, int count)
{
    switch (byte_at(vectors, count, 3)) {
    case report:
    case extended_report: return &radio_delay;
    case connection_complete:
    case enhanced_connection_complete: return byte_at(vectors, count, 7) == 0 ? &radio_delay : NULL;
    case long_term_key_request: return &encryption_delay;
    default: return NULL;
    }
}

static ssize_t total(const struct iovec *vectors, int count)
{
    ssize_t length = 0;
    for (int i = 0; i < count; i++)
        length += (ssize_t)vectors[i].iov_len;
    return length;
}

ssize_t writev(int descriptor, const struct iovec *vectors, int count)
{
    NEXT(writev);
    struct controller *c = controller(descriptor);
    if (c == NULL || byte_at(vectors, count, 0) != event_packet)
        return next(descriptor, vectors, count);
    if (belongs_to_reset(c, vectors, count))
        return total(vectors, count);
    remember_links(c, vectors, count);
    if (is_hidden(c, vectors, count) || answer_cancel(c, descriptor, vectors, count))
        return total(vectors, count);
    const struct timespec *delay = byte_at(vectors, count, 1) == le_meta ? time_on_the_air(vectors, count) : NULL;
    if (delay != NULL)
        nanosleep(delay, NULL);
    return next(descriptor, vectors, count);
}
