// A property changes after it was read and before its changes are listened to.
//
// usage: missed_signal racy|fixed
// cc -o missed_signal missed_signal.c $(pkg-config --cflags --libs dbus-1)
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char service[] = "org.bluez", adapter[] = "/org/bluez/hci1", interface[] = "org.bluez.Adapter1";
static const char match[] = "type='signal',sender='org.bluez',path='/org/bluez/hci1',member='PropertiesChanged'";
enum { limit = 5 /* seconds */ };

static DBusMessage *call(DBusConnection *bus, DBusMessage *message)
{
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 1000 * limit, NULL);
    dbus_message_unref(message);
    return reply;
}

static bool is_discovering(DBusConnection *bus)
{
    const char *name = "Discovering", *of = interface;
    DBusMessage *get = dbus_message_new_method_call(service, adapter, "org.freedesktop.DBus.Properties", "Get");
    dbus_message_append_args(get, DBUS_TYPE_STRING, &of, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    DBusMessage *reply = call(bus, get);
    DBusMessageIter content, variant;
    dbus_bool_t value = false;
    if (reply != NULL && dbus_message_iter_init(reply, &content)) {
        dbus_message_iter_recurse(&content, &variant);
        dbus_message_iter_get_basic(&variant, &value);
        dbus_message_unref(reply);
    }
    return value;
}

static bool await_change(DBusConnection *bus)
{
    time_t end = time(NULL) + limit;
    while (time(NULL) < end && dbus_connection_read_write(bus, 100))
        for (DBusMessage *message; (message = dbus_connection_pop_message(bus)) != NULL;) {
            bool is_change = dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged");
            dbus_message_unref(message);
            if (is_change)
                return true;
        }
    return false;
}

int main(int count, char **words)
{
    bool is_racy = count == 2 && strcmp(words[1], "racy") == 0;
    if (count != 2 || (!is_racy && strcmp(words[1], "fixed") != 0)) {
        fprintf(stderr, "usage: %s racy|fixed\n", words[0]);
        return 2;
    }
    DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    if (bus == NULL)
        return 1;
    if (!is_racy)
        dbus_bus_add_match(bus, match, NULL);
    dbus_connection_send(bus, dbus_message_new_method_call(service, adapter, interface, "StartDiscovery"), NULL);
    if (is_discovering(bus))
        return 0;
    if (is_racy)
        dbus_bus_add_match(bus, match, NULL); // waits for the bus's answer
    if (await_change(bus))
        return 0;
    fprintf(stderr, "no discovery\n");
    return 1;
}
