// Waits until bluetoothd reports controllers as powered. It asks for one after the other, and again only when
// bluetoothd has reported a change: nothing is asked in vain in an emulated machine.
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bus.h"
#include "daemon.h"

enum { failed = 1 };
enum { retry = 50 /* ms, until there is a bus */, maximum_silence = 1000 /* ms, until bluetoothd is asked again */ };

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int least(int64_t one, int64_t other) { return (int)(one < other ? one : other); }

static int connect_and_watch(void)
{
    static const char name[] = "org.freedesktop.DBus";
    static const char *const rules[][2] = {
        {"type='signal',sender='org.bluez'"},
        {"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'"},
    };
    int bus = connect_to_bus();
    for (int i = 0; i < 2 && bus >= 0; i++)
        call(bus, name, "/org/freedesktop/DBus", name, "AddMatch", rules[i]);
    return bus;
}

static uint32_t ask(int bus, int controller)
{
    static const char *const property[] = {"org.bluez.Adapter1", "Powered", NULL};
    char path[32];
    snprintf(path, sizeof path, "/org/bluez/hci%d", controller);
    return call(bus, "org.bluez", path, "org.freedesktop.DBus.Properties", "Get", property);
}

int await_power(int first, int count, int seconds, const char *wanted)
{
    int64_t deadline = now() + seconds * 1000LL, left;
    int bus = -1, powered = 0;
    uint32_t question = 0;
    bool must_ask = true;
    while (powered < count && (left = deadline - now()) > 0) {
        if (wanted != NULL && !is_wanted(wanted)) {
            fputs("lab-daemon: bluetoothd ends again and again\n", stderr);
            return failed;
        }
        if (bus < 0 && (bus = connect_and_watch()) < 0) {
            poll(NULL, 0, least(left, retry));
            continue;
        }
        if (must_ask && question == 0) {
            question = ask(bus, first + powered);
            must_ask = false;
        }
        struct pollfd bus_poll = {.fd = bus, .events = POLLIN};
        if (poll(&bus_poll, 1, least(left, maximum_silence)) <= 0) {
            question = 0;
            must_ask = true;
            continue;
        }
        struct message message;
        if (!read_message(bus, &message)) {
            close(bus);
            bus = -1;
            question = 0;
            must_ask = true;
        } else if (question != 0 && message.reply_serial == question) {
            question = 0;
            powered += is_true(&message);
            must_ask = must_ask || is_true(&message);
        } else if (message.kind == signal_message) {
            must_ask = true;
        }
    }
    if (powered < count)
        fprintf(stderr, "lab-daemon: hci%d is not powered after %d s\n", first + powered, seconds);
    return powered < count ? failed : 0;
}
