// A property changes after the program has looked at it, and before it listens to changes.
//
// usage: missed_signal racy|fixed
// cc -o missed_signal missed_signal.c $(pkg-config --cflags --libs dbus-1)
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char service[] = "org.bluez", path[] = "/org/bluez/hci1", properties[] = "org.freedesktop.DBus.Properties";
static const char match[] = "type='signal',sender='org.bluez',path='/org/bluez/hci1',member='PropertiesChanged'";
static const char *adapter = "org.bluez.Adapter1", *awaited = "Pairable";
enum {
    limit = 5, // seconds
    head_start = 12000 // microseconds: what looking at all properties takes, and some more
};

static DBusMessage *call(DBusConnection *bus, DBusMessage *message)
{
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 1000 * limit, NULL);
    dbus_message_unref(message);
    return reply;
}

static bool set(DBusConnection *bus, const char *name, bool is_true)
{
    DBusMessage *message = dbus_message_new_method_call(service, path, properties, "Set");
    DBusMessageIter content, variant;
    dbus_bool_t value = is_true;
    dbus_message_append_args(message, DBUS_TYPE_STRING, &adapter, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    dbus_message_iter_init_append(message, &content);
    dbus_message_iter_open_container(&content, DBUS_TYPE_VARIANT, DBUS_TYPE_BOOLEAN_AS_STRING, &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &value);
    dbus_message_iter_close_container(&content, &variant);
    DBusMessage *reply = call(bus, message);
    if (reply != NULL)
        dbus_message_unref(reply);
    return reply != NULL;
}

enum value { no, yes, unknown };

// Prints a property. Unknown: bluetoothd did not answer.
static enum value show(DBusConnection *bus, const char *name)
{
    DBusMessage *get = dbus_message_new_method_call(service, path, properties, "Get");
    dbus_message_append_args(get, DBUS_TYPE_STRING, &adapter, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    DBusMessage *reply = call(bus, get);
    DBusMessageIter content, variant;
    dbus_bool_t is_true = false;
    if (reply == NULL || !dbus_message_iter_init(reply, &content))
        return unknown;
    dbus_message_iter_recurse(&content, &variant);
    if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_BOOLEAN) {
        dbus_message_iter_get_basic(&variant, &is_true);
        printf("%s: %s\n", name, is_true ? "yes" : "no");
    } else if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRING) {
        const char *text;
        dbus_message_iter_get_basic(&variant, &text);
        printf("%s: %s\n", name, text);
    }
    dbus_message_unref(reply);
    return is_true ? yes : no;
}

// Whether the message reports that the property is no longer true.
static bool reports_end(DBusMessage *message)
{
    DBusMessageIter content, changes, change, variant;
    if (!dbus_message_is_signal(message, properties, "PropertiesChanged") ||
        !dbus_message_has_signature(message, "sa{sv}as") || !dbus_message_iter_init(message, &content))
        return false;
    dbus_message_iter_next(&content);
    dbus_message_iter_recurse(&content, &changes);
    for (; dbus_message_iter_get_arg_type(&changes) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&changes)) {
        const char *name;
        dbus_bool_t value;
        dbus_message_iter_recurse(&changes, &change);
        dbus_message_iter_get_basic(&change, &name);
        if (strcmp(name, awaited) != 0)
            continue;
        dbus_message_iter_next(&change);
        dbus_message_iter_recurse(&change, &variant);
        dbus_message_iter_get_basic(&variant, &value);
        return !value;
    }
    return false;
}

static bool await_end(DBusConnection *bus)
{
    time_t end = time(NULL) + limit;
    while (time(NULL) < end && dbus_connection_read_write(bus, 100))
        for (DBusMessage *message; (message = dbus_connection_pop_message(bus)) != NULL;) {
            bool is_end = reports_end(message);
            dbus_message_unref(message);
            if (is_end)
                return true;
        }
    return false;
}

// The other program, which changes the property soon after it was told to begin.
static int change(int input, int output)
{
    DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    char byte = 0;
    if (bus == NULL || write(output, &byte, 1) != 1 || read(input, &byte, 1) != 1)
        return 1;
    usleep(head_start);
    return set(bus, awaited, false) ? 0 : 1;
}

static bool see_end(DBusConnection *bus, bool is_racy)
{
    if (!is_racy)
        dbus_bus_add_match(bus, match, NULL);
    enum value value = show(bus, awaited);
    if (value != yes)
        return value == no;
    static const char *const others[] = {
        "Address", "AddressType", "Name", "Alias", "Powered", "Discoverable", "Modalias", "Discovering"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        show(bus, others[i]);
    if (is_racy)
        dbus_bus_add_match(bus, match, NULL);
    return await_end(bus);
}

int main(int count, char **words)
{
    bool is_racy = count == 2 && strcmp(words[1], "racy") == 0;
    if (count != 2 || (!is_racy && strcmp(words[1], "fixed") != 0)) {
        fprintf(stderr, "usage: %s racy|fixed\n", words[0]);
        return 2;
    }
    int go[2], ready[2], status;
    char byte = 0;
    if (pipe(go) != 0 || pipe(ready) != 0)
        return 1;
    pid_t other = fork();
    if (other == 0)
        _exit(change(go[0], ready[1]));
    DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    if (bus == NULL || !set(bus, awaited, true) || read(ready[0], &byte, 1) != 1 || write(go[1], &byte, 1) != 1)
        return 1;
    bool has_ended = see_end(bus, is_racy);
    if (waitpid(other, &status, 0) != other || status != 0) {
        fprintf(stderr, "the property was not changed\n");
        return 2;
    }
    if (!has_ended)
        fprintf(stderr, "the change was not seen\n");
    return has_ended ? 0 : 1;
}
