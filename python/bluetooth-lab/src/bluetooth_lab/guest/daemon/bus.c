// The little of D-Bus that lab-daemon needs (D-Bus specification, "Message Protocol" and "Authentication Protocol").
#define _GNU_SOURCE
#include "bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { most = 1 << 16 /* bytes of a message that is kept */, header_length = 16 };
enum { field_path = 1, field_interface, field_member, field_reply_serial = 5, field_destination, field_signature = 8 };
enum { no_auto_start = 2 };

static size_t aligned(size_t offset, size_t to) { return (offset + to - 1) / to * to; }

static bool write_all(int bus, const void *data, size_t length)
{
    for (const char *rest = data; length > 0;) {
        ssize_t written = send(bus, rest, length, MSG_NOSIGNAL);
        if (written < 0 && errno != EINTR)
            return false;
        rest += written < 0 ? 0 : written;
        length -= written < 0 ? 0 : (size_t)written;
    }
    return true;
}

static bool read_all(int bus, void *data, size_t length)
{
    for (char *rest = data; length > 0;) {
        ssize_t got = recv(bus, rest, length, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        rest += got < 0 ? 0 : got;
        length -= got < 0 ? 0 : (size_t)got;
    }
    return true;
}

// MARK: Connection

static bool authenticate(int bus)
{
    char user[16], text[64], answer[256];
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    size_t length = (size_t)sprintf(text, "%cAUTH EXTERNAL ", 0);
    for (const char *digit = user; *digit != 0; digit++)
        length += (size_t)sprintf(text + length, "%02x", (unsigned)*digit);
    length += (size_t)sprintf(text + length, "\r\n");
    if (!write_all(bus, text, length))
        return false;
    for (size_t i = 0; i < sizeof answer && read_all(bus, answer + i, 1); i++)
        if (answer[i] == '\n')
            return strncmp(answer, "OK ", 3) == 0 && write_all(bus, "BEGIN\r\n", 7);
    return false;
}

static void set_address(struct sockaddr_un *address)
{
    static const char prefix[] = "unix:path=";
    const char *named = getenv("DBUS_SYSTEM_BUS_ADDRESS"), *path = "/run/dbus/system_bus_socket";
    if (named != NULL && strncmp(named, prefix, sizeof prefix - 1) == 0)
        path = named + sizeof prefix - 1;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof address->sun_path, "%.*s", (int)strcspn(path, ",;"), path);
}

int connect_to_bus(void)
{
    struct sockaddr_un address;
    set_address(&address);
    int bus = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    static const char name[] = "org.freedesktop.DBus";
    if (bus >= 0 && connect(bus, (struct sockaddr *)&address, sizeof address) == 0 && authenticate(bus) &&
        call(bus, name, "/org/freedesktop/DBus", name, "Hello", (const char *[]){NULL}) != 0)
        return bus;
    if (bus >= 0)
        close(bus);
    return -1;
}

// MARK: Messages

// Bytes that become a message.
struct writer {
    uint8_t bytes[1024];
    size_t length;
};

static void put_number(struct writer *writer, uint32_t number)
{
    writer->length = aligned(writer->length, sizeof number);
    memcpy(writer->bytes + writer->length, &number, sizeof number);
    writer->length += sizeof number;
}

static void put_text(struct writer *writer, const char *text)
{
    put_number(writer, (uint32_t)strlen(text));
    memcpy(writer->bytes + writer->length, text, strlen(text) + 1);
    writer->length += strlen(text) + 1;
}

static void put_signature(struct writer *writer, const char *signature)
{
    writer->bytes[writer->length++] = (uint8_t)strlen(signature);
    memcpy(writer->bytes + writer->length, signature, strlen(signature) + 1);
    writer->length += strlen(signature) + 1;
}

static void put_field(struct writer *writer, uint8_t code, const char *type, const char *value)
{
    writer->length = aligned(writer->length, 8);
    writer->bytes[writer->length++] = code;
    put_signature(writer, type);
    if (*type == 'g')
        put_signature(writer, value);
    else
        put_text(writer, value);
}

uint32_t call(int bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *const *arguments)
{
    static uint32_t serial;
    struct writer body = {.length = 0}, writer = {.length = 0};
    size_t room = sizeof writer.bytes / 2, taken = 4 * (strlen(destination) + strlen(interface));
    char signature[8] = "";
    for (size_t i = 0; arguments[i] != NULL && i < sizeof signature - 1; i++) {
        taken += strlen(arguments[i]) + 8;
        if (taken > room)
            return 0;
        put_text(&body, arguments[i]);
        signature[i] = 's';
    }
    uint8_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B';
    memcpy(writer.bytes, (uint8_t[]){order, method_call, no_auto_start, 1}, 4);
    writer.length = 4;
    put_number(&writer, (uint32_t)body.length);
    put_number(&writer, ++serial);
    put_number(&writer, 0); // the fields' length
    put_field(&writer, field_path, "o", path);
    put_field(&writer, field_interface, "s", interface);
    put_field(&writer, field_member, "s", member);
    put_field(&writer, field_destination, "s", destination);
    if (*signature != 0)
        put_field(&writer, field_signature, "g", signature);
    uint32_t fields = (uint32_t)writer.length - header_length;
    memcpy(writer.bytes + header_length - sizeof fields, &fields, sizeof fields);
    writer.length = aligned(writer.length, 8);
    bool is_sent = write_all(bus, writer.bytes, writer.length) && write_all(bus, body.bytes, body.length);
    return is_sent ? serial : 0;
}

static uint32_t number_at(const uint8_t *bytes, size_t offset)
{
    uint32_t number;
    memcpy(&number, bytes + offset, sizeof number);
    return number;
}

// The field that says what a message answers; 0 if it has none. Of all fields of the specification only this one and
// the number of descriptors (nobody sends us any) are numbers; the others are texts.
static uint32_t find_reply_serial(const uint8_t *bytes, size_t end)
{
    size_t offset = header_length;
    while (offset + 8 <= end) {
        uint8_t code = bytes[offset], type = bytes[offset + 2];
        offset += 4; // code, length of the signature, signature, NUL
        if (code == field_reply_serial)
            return number_at(bytes, offset);
        size_t length = type == 'g' ? bytes[offset] + 2 : type == 'u' ? 4 : (size_t)number_at(bytes, offset) + 5;
        offset = aligned(offset + length, 8);
    }
    return 0;
}

bool read_message(int bus, struct message *message)
{
    static uint8_t bytes[most];
    if (!read_all(bus, bytes, header_length))
        return false;
    size_t body = number_at(bytes, 4), fields = number_at(bytes, header_length - 4);
    size_t begin = aligned(header_length + fields, 8);
    if (fields > most - header_length - 8 || !read_all(bus, bytes + header_length, begin - header_length))
        return false;
    *message = (struct message){.kind = bytes[1], .reply_serial = find_reply_serial(bytes, header_length + fields)};
    message->body = bytes + begin;
    message->length = body < most - begin ? body : most - begin;
    if (!read_all(bus, bytes + begin, message->length))
        return false;
    for (size_t left = body - message->length; left > 0;) { // of a body too long to be for us
        uint8_t ignored[1024];
        size_t part = left < sizeof ignored ? left : sizeof ignored;
        if (!read_all(bus, ignored, part))
            return false;
        left -= part;
    }
    return true;
}

bool is_true(const struct message *message)
{
    return message->kind == method_return && message->length >= 8 && memcmp(message->body, "\1b", 3) == 0 &&
           number_at(message->body, 4) == 1;
}
