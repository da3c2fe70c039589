// Preloaded into btvirt: holds each advertising report back for a moment.
//
// btvirt answers "start to scan" and reports every advertiser in the same instant, once. The kernel (6.1) drops reports
// that come before it has taken the answer in, which is most of them: then a scan finds nothing, however long it lasts.
// Radios do not hear an advertiser that soon.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>

static const struct timespec delay = {.tv_sec = 0, .tv_nsec = 30 * 1000 * 1000};

// The bytes of an HCI packet may be spread over the vectors: packet type, event code, length, subevent code.
static int byte_at(const struct iovec *vectors, int count, size_t index)
{
    for (int i = 0; i < count; i++) {
        if (index < vectors[i].iov_len)
            return ((const unsigned char *)vectors[i].iov_base)[index];
        index -= vectors[i].iov_len;
    }
    return -1;
}

static int is_advertising_report(const struct iovec *vectors, int count)
{
    enum { event_packet = 0x04, le_meta_event = 0x3e, report = 0x02, extended_report = 0x0d };
    if (byte_at(vectors, count, 0) != event_packet || byte_at(vectors, count, 1) != le_meta_event)
        return 0;
    int subevent = byte_at(vectors, count, 3);
    return subevent == report || subevent == extended_report;
}

ssize_t writev(int descriptor, const struct iovec *vectors, int count)
{
    static ssize_t (*next)(int, const struct iovec *, int);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "writev");
    if (is_advertising_report(vectors, count))
        nanosleep(&delay, NULL);
    return next(descriptor, vectors, count);
}
