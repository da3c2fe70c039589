// Finds the kernel's reports of its own mistakes in its log (Linux: Documentation/ABI/testing/dev-kmsg).
#define _GNU_SOURCE
#include "kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    maximum_text = 8000,
    maximum_headline = 300,
    maximum_record = 1 << 14,
    longest_gap = 500 * 1000, // microseconds between two lines of a report
};

// How a message begins that says so. Others may have the same words later in them: "traps: … general protection fault"
// is about a program.
static const char *const beginnings[] = {
    "BUG: ",
    "kernel BUG at ",
    "WARNING: ",
    "Oops: ",
    "Internal error: ", // arm64
    "Unable to handle kernel ", // arm64
    "general protection fault",
    "UBSAN: ",
    "INFO: possible ", // lockdep's, of older kernels
    "INFO: trying to register non-static key",
};
// What only says that the machine had no time, because its host was busy. "watchdog: BUG: soft lockup" and "rcu: INFO:"
// do not begin as the others do.
static const char *const exceptions[] = {"BUG: workqueue lockup"};
// What tests and their recorders write there, to have a place in it.
static const char own[] = "lab: ";
static const char cut[] = "------------[ cut here ]------------", end[] = "---[ end trace";

struct report {
    bool is_open;
    long long last_line; // its time
    char headline[maximum_headline], text[maximum_text];
    size_t length;
};

int open_kernel_log(void)
{
    int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log >= 0)
        lseek(log, 0, SEEK_END);
    return log;
}

static bool begins_with(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static bool begins_report(const char *line)
{
    return begins_with(line, beginnings, sizeof beginnings / sizeof *beginnings) &&
           !begins_with(line, exceptions, sizeof exceptions / sizeof *exceptions);
}

static void add_line(struct report *report, const char *line)
{
    size_t length = strlen(line);
    if (report->length + length + 2 > maximum_text)
        return;
    memcpy(report->text + report->length, line, length);
    report->length += length;
    report->text[report->length++] = '\n';
    report->text[report->length] = 0;
}

static void close_report(struct report *report, void (*take)(const char *, const char *, void *), void *context)
{
    if (report->is_open)
        take(report->headline, report->text, context);
    *report = (struct report){0};
}

static void handle_line(struct report *report, long long time, const char *line,
    void (*take)(const char *, const char *, void *), void *context)
{
    if (strncmp(line, own, sizeof own - 1) == 0)
        return;
    if (strncmp(line, cut, sizeof cut - 1) == 0 || (report->is_open && time - report->last_line > longest_gap))
        close_report(report, take, context);
    report->last_line = time;
    if (!report->is_open && begins_report(line)) {
        report->is_open = true;
        snprintf(report->headline, maximum_headline, "%s", line);
    }
    if (report->is_open)
        add_line(report, line);
    if (strncmp(line, end, sizeof end - 1) == 0)
        close_report(report, take, context);
}

static int digit(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = letter == 0 ? NULL : strchr(digits, letter);
    return found == NULL ? -1 : (int)(found - digits);
}

// In place: \x0a is a line's end.
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != 0;) {
        if (from[0] == '\\' && from[1] == 'x' && digit(from[2]) >= 0 && digit(from[3]) >= 0) {
            *to++ = (char)(digit(from[2]) << 4 | digit(from[3]));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

// `PRIORITY,NUMBER,MICROSECONDS,…;TEXT`, and further lines about it.
static void handle_record(
    struct report *report, char *record, void (*take)(const char *, const char *, void *), void *context)
{
    long long time;
    char *text = strchr(record, ';');
    if (text == NULL || sscanf(record, "%*d,%*d,%lld", &time) != 1)
        return;
    text++;
    text[strcspn(text, "\n")] = 0;
    unescape(text);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        handle_line(report, time, line, take, context);
}

void take_reports(int log, void (*take)(const char *headline, const char *text, void *context), void *context)
{
    static char record[maximum_record];
    static struct report report;
    report = (struct report){0};
    for (;;) {
        ssize_t length = read(log, record, sizeof record - 1); // one record
        // EPIPE: the kernel has overwritten what was to be read.
        if (length < 0 && (errno == EINTR || errno == EPIPE))
            continue;
        if (length <= 0)
            break;
        record[length] = 0;
        handle_record(&report, record, take, context);
    }
    close_report(&report, take, context);
}

static void print(const char *headline, const char *text, void *context)
{
    (void)headline;
    int *count = context;
    printf("%s%s", (*count)++ == 0 ? "" : "\n", text);
}

int print_reports(void)
{
    int count = 0;
    take_reports(STDIN_FILENO, print, &count);
    return fflush(stdout) == 0 ? 0 : 1;
}
