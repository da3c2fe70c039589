// The little of D-Bus that lab-daemon needs. libdbus alone takes a tenth of a second to load in software emulation.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { no_message, method_call, method_return, method_error, signal_message };

struct message {
    enum kind kind;
    uint32_t reply_serial;
    const uint8_t *body; // until the next message is read
    size_t length;
};

// A connection to the system bus; -1 if there is none.
int connect_to_bus(void);

// Sends a call with arguments that are texts, up to a NULL. The call starts no program: the system bus may have one for
// org.bluez, which takes a process and fails. Returns its serial number; 0 if the bus is gone.
uint32_t call(int bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *const *arguments);

// Reads the next message, and waits for it until it is complete. Returns false if the bus is gone.
bool read_message(int bus, struct message *message);

// The answer of org.freedesktop.DBus.Properties.Get: whether it is the boolean true.
bool is_true(const struct message *message);
