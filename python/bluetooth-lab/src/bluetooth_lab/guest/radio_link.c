// Carries one controller's HCI packets between two hosts of the lab, over a virtio port that both have.
//
// usage: radio_link controller INDEX PORT READY    on the host with the radio: hands over the controller hciINDEX, and
//                                                  makes the file READY when this host's Bluetooth can no longer use it
//        radio_link host PORT                      on the other host: makes the controller one of its own
//
// On the first host, a user channel takes the controller from the kernel, as btproxy does. On the second, /dev/vhci
// gives it to the kernel there. The kernel gives up a controller that does not answer its first command within 2 s.
// Therefore the second host begins only when the first is ready, and begins again when the controller was made again:
//
//     host        -> controller   ask N      "report when the controller is there, and drop what was before"
//     controller  -> host         here N     what follows comes from the controller
//     controller  -> host         gone       the controller was replaced, or will be: ask again
//
// SIGUSR1 makes the host begin again.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// As in <bluetooth/hci.h>, which belongs to a library that the lab does not need otherwise.
struct sockaddr_hci {
    sa_family_t family;
    uint16_t device;
    uint16_t channel;
};
enum { protocol_hci = 1, channel_user = 1 };

enum { command = 1, acl = 2, sco = 3, event = 4, iso = 5, vendor = 0xff, ask = 0xf0, here = 0xf1, gone = 0xf2 };
enum { word_length = 5, buffer_size = 4096, retry_after = 20 /* ms */ };

static int port, controller = -1;
static volatile sig_atomic_t begin_anew;

static void fail(const char *what)
{
    fprintf(stderr, "radio_link: %s: %s\n", what, strerror(errno));
    exit(1);
}

static _Noreturn void refuse(uint8_t type)
{
    fprintf(stderr, "radio_link: a packet of type 0x%02x from the other host\n", type);
    exit(1);
}

static bool has_passed(int error) { return error == EAGAIN || error == EINTR; }

static void await(int descriptor, short events)
{
    struct pollfd waiting = {.fd = descriptor, .events = events};
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR)
        fail("poll");
}

static void send_all(const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(port, bytes, length);
        if (written < 0 && !has_passed(errno))
            fail("the port");
        if (written < 0) {
            await(port, POLLOUT);
            continue;
        }
        bytes += written;
        length -= (size_t)written;
    }
}

// Sends ask, here or gone with the number of the controller.
static void send_word(uint8_t what, uint32_t number)
{
    uint8_t bytes[word_length] = {what};
    memcpy(bytes + 1, &number, sizeof number);
    send_all(bytes, sizeof bytes);
}

// The length of the packet that begins here; 0 if it is not known yet.
static size_t packet_length(const uint8_t *bytes, size_t count)
{
    switch (bytes[0]) {
    case command: return count < 4 ? 0 : 4 + (size_t)bytes[3];
    case event: return count < 3 ? 0 : 3 + (size_t)bytes[2];
    case sco: return count < 4 ? 0 : 4 + (size_t)bytes[3];
    case acl: return count < 5 ? 0 : 5 + (size_t)(bytes[3] | bytes[4] << 8);
    case iso: return count < 5 ? 0 : 5 + (size_t)(bytes[3] | (bytes[4] & 0x3f) << 8);
    case ask:
    case here:
    case gone: return word_length;
    default: refuse(bytes[0]);
    }
}

// Reads what has arrived at the port, and passes on each complete packet.
static void receive(void (*take)(const uint8_t *packet, size_t length))
{
    static uint8_t bytes[1 << 17]; // more than the longest packet
    static size_t count;
    ssize_t length = read(port, bytes + count, sizeof bytes - count);
    if (length < 0 && !has_passed(errno))
        fail("the port");
    if (length <= 0)
        return;
    count += (size_t)length;
    uint8_t *start = bytes;
    for (size_t whole; count > 0 && (whole = packet_length(start, count)) > 0 && whole <= count;) {
        take(start, whole);
        start += whole;
        count -= whole;
    }
    memmove(bytes, start, count);
}

static void look_at_port(short events, void (*take)(const uint8_t *packet, size_t length))
{
    if (events & POLLIN)
        receive(take);
    else if (events & (POLLHUP | POLLERR))
        exit(0); // the other machine has ended
}

static void close_controller(void)
{
    if (controller >= 0)
        close(controller);
    controller = -1;
}

static void give_controller(const uint8_t *packet, size_t length)
{
    while (controller >= 0 && write(controller, packet, length) < 0) {
        if (!has_passed(errno))
            return; // it was removed, which reading from it reports, too
        await(controller, POLLOUT);
    }
}

// Passes on what the controller sends. False: it was removed.
static bool forward(bool (*is_private)(const uint8_t *packet))
{
    uint8_t packet[buffer_size];
    for (;;) {
        ssize_t length = read(controller, packet, sizeof packet);
        if (length < 0 && has_passed(errno))
            return true;
        if (length <= 0)
            return false;
        if (is_private == NULL || !is_private(packet))
            send_all(packet, (size_t)length);
    }
}

// The host with the radio.

static bool is_asked;
static uint32_t asked;

static void take_from_host(const uint8_t *packet, size_t length)
{
    if (packet[0] == ask) {
        memcpy(&asked, packet + 1, sizeof asked);
        is_asked = true;
        close_controller(); // the user channel resets it
    } else {
        give_controller(packet, length);
    }
}

// While the kernel sets up a new controller, it gives it to nobody.
static bool take_user_channel(uint16_t index)
{
    struct sockaddr_hci address = {.family = AF_BLUETOOTH, .device = index, .channel = channel_user};
    const int plenty = 16 << 20; // the kernel drops what does not fit
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol_hci);
    if (descriptor < 0)
        fail("a Bluetooth socket");
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno != EBUSY && errno != ENODEV && errno != EINTR)
            fail("the user channel");
        close(descriptor);
        return false;
    }
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &plenty, sizeof plenty) < 0)
        fail("a larger buffer");
    controller = descriptor;
    return true;
}

static void serve_controller(uint16_t index, const char *ready)
{
    for (;;) {
        if (controller < 0 && take_user_channel(index)) {
            close(open(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
            if (is_asked)
                send_word(here, asked);
        }
        struct pollfd waiting[] = {{.fd = port, .events = POLLIN}, {.fd = controller, .events = POLLIN}};
        poll(waiting, 2, controller < 0 ? retry_after : -1);
        if (waiting[1].revents != 0 && !forward(NULL)) {
            close_controller();
            send_word(gone, 0);
        }
        look_at_port(waiting[0].revents, take_from_host);
    }
}

// The other host.

static uint32_t wanted;

static void ask_for_controller(void)
{
    close_controller();
    send_word(ask, ++wanted);
}

// The kernel reports the number of a new controller in a packet of its own.
static bool is_from_vhci(const uint8_t *packet) { return packet[0] == vendor; }

static void make_controller(void)
{
    const uint8_t request[] = {vendor, 0};
    controller = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (controller < 0 || write(controller, request, sizeof request) < 0)
        fail("/dev/vhci");
}

static void take_from_controller(const uint8_t *packet, size_t length)
{
    uint32_t number;
    memcpy(&number, packet + 1, length >= word_length ? sizeof number : 0);
    if (packet[0] == here && length >= word_length) {
        if (number == wanted && controller < 0)
            make_controller();
    } else if (packet[0] == gone) {
        ask_for_controller();
    } else {
        give_controller(packet, length);
    }
}

static void take_signal(int number)
{
    (void)number;
    begin_anew = 1;
}

static void serve_host(void)
{
    sigset_t usual, held;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = take_signal}, NULL);
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    sigprocmask(SIG_BLOCK, &held, &usual); // delivered only while it waits
    wanted = (uint32_t)getpid() << 8;
    ask_for_controller();
    for (;;) {
        struct pollfd waiting[] = {{.fd = port, .events = POLLIN}, {.fd = controller, .events = POLLIN}};
        int count = ppoll(waiting, 2, NULL, &usual);
        if (begin_anew) {
            begin_anew = 0;
            ask_for_controller();
        }
        if (count < 0)
            continue;
        if (waiting[1].revents != 0 && controller >= 0 && !forward(is_from_vhci))
            fail("/dev/vhci");
        look_at_port(waiting[0].revents, take_from_controller);
    }
}

int main(int count, char **words)
{
    bool has_radio = count == 5 && strcmp(words[1], "controller") == 0;
    if (!has_radio && !(count == 3 && strcmp(words[1], "host") == 0)) {
        fprintf(stderr, "usage: radio_link controller INDEX PORT READY | host PORT\n");
        return 2;
    }
    const char *name = words[has_radio ? 3 : 2];
    port = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port < 0)
        fail(name);
    if (has_radio)
        serve_controller((uint16_t)atoi(words[2]), words[4]);
    else
        serve_host();
}
