// lab-packets: writes the HCI traffic of all controllers, with the notes of programs, to a btsnoop file.
//
// btmon -w writes the same file, but also decodes every packet, which is expensive in software emulation.
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { bluetooth_family = 31, hci_protocol = 1, no_controller = 0xffff, monitor_channel = 2 };
enum { format_version = 1, monitor_format = 2001 };
enum { room_in_socket = 32 << 20 }; // so that nothing is lost while the machine is busy
static const int64_t from_year_0_to_2000 = 0x00e03ab44a676000, from_1970_to_2000 = 946684800LL * 1000000;

struct address {
    uint16_t family, controller, channel;
};
// The kernel's header of each packet; little endian.
struct __attribute__((packed)) monitor_header {
    uint16_t opcode, controller, length;
};
// The file; big endian.
struct __attribute__((packed)) file_header {
    char magic[8];
    uint32_t version, format;
};
struct __attribute__((packed)) record_header {
    uint32_t original_length, length, flags, drops;
    uint64_t time;
};

static int fail(const char *what)
{
    fprintf(stderr, "lab-packets: %s: %s\n", what, strerror(errno));
    return 1;
}

static uint64_t time_of(struct msghdr *message)
{
    struct timeval time;
    gettimeofday(&time, NULL);
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMP)
            memcpy(&time, CMSG_DATA(part), sizeof time);
    int64_t since_1970 = (int64_t)time.tv_sec * 1000000 + time.tv_usec;
    return (uint64_t)(since_1970 - from_1970_to_2000 + from_year_0_to_2000);
}

// Copies one packet from the kernel to the file. Returns 0 if there is none, -1 on an error.
static int copy_packet(int monitor, FILE *file, int flags)
{
    static uint8_t content[1 << 16];
    struct monitor_header header;
    struct iovec parts[] = {{&header, sizeof header}, {content, sizeof content}};
    char control[CMSG_SPACE(sizeof(struct timeval))];
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t size = recvmsg(monitor, &message, flags);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if ((size_t)size < sizeof header)
        return 1;
    uint32_t length = (uint32_t)(size - (ssize_t)sizeof header);
    struct record_header record = {
        .original_length = htobe32(length),
        .length = htobe32(length),
        .flags = htobe32((uint32_t)le16toh(header.controller) << 16 | le16toh(header.opcode)),
        .time = htobe64(time_of(&message)),
    };
    fwrite(&record, sizeof record, 1, file);
    fwrite(content, length, 1, file);
    return ferror(file) ? -1 : 1;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: lab-packets FILE\n");
        return 2;
    }
    int monitor = socket(bluetooth_family, SOCK_RAW | SOCK_CLOEXEC, hci_protocol);
    if (monitor < 0)
        return fail("no Bluetooth sockets");
    int on = 1, room = room_in_socket;
    setsockopt(monitor, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
    if (setsockopt(monitor, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
        return fail("the size of the socket");
    struct address address = {bluetooth_family, no_controller, monitor_channel};
    if (bind(monitor, (struct sockaddr *)&address, sizeof address) < 0)
        return fail("the kernel's monitor");
    FILE *file = fopen(arguments[1], "we");
    if (file == NULL)
        return fail(arguments[1]);
    struct file_header header = {"btsnoop", htobe32(format_version), htobe32(monitor_format)};
    fwrite(&header, sizeof header, 1, file);
    for (;;) {
        // All packets that are waiting are written together.
        if (fflush(file) != 0)
            return fail(arguments[1]);
        int result = copy_packet(monitor, file, 0);
        while (result > 0)
            result = copy_packet(monitor, file, MSG_DONTWAIT);
        if (result < 0)
            return fail(ferror(file) ? arguments[1] : "the kernel's monitor");
    }
}
