// lab-daemon: keeps bluetoothd running and waits for its controllers (see the usage). daemon.sh calls it.
//
// It is in C because bash, dbus-send and reading its output take three tenths of a second in software emulation.
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"

static const char usage[] =
    "usage: lab-daemon keep RUN-FOLDER LOG-FOLDER PROGRAM [ARG...]\n"
    "           runs bluetoothd, and again if it ends by itself, as long as RUN-FOLDER/bluetoothd.wanted is not empty\n"
    "       lab-daemon await FIRST COUNT SECONDS [FILE]\n"
    "           waits until bluetoothd has powered so many controllers from hciFIRST on. The exit status is 0 then,\n"
    "           1 if they are not powered after so many seconds, or FILE is empty.\n";

enum { misuse = 2 };

static bool read_number(const char *word, int *number)
{
    char *end;
    long value = strtol(word, &end, 10);
    *number = (int)value;
    return *word != 0 && *end == 0 && value >= 0 && value < INT_MAX / 1000;
}

int main(int word_count, char **words)
{
    if (word_count >= 5 && strcmp(words[1], "keep") == 0)
        return keep_daemon(words + 2);
    int first, count, seconds;
    if ((word_count == 5 || word_count == 6) && strcmp(words[1], "await") == 0 && read_number(words[2], &first) &&
        read_number(words[3], &count) && read_number(words[4], &seconds))
        return await_power(first, count, seconds, words[5]);
    fputs(usage, stderr);
    return misuse;
}
