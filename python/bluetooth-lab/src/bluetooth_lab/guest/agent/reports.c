// What the agent sends to the host.
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>

#include "agent.h"
#include "frame.h"
#include "kernel_log.h"

enum { kernel_log_lines = 100, syslog_read_all = 3, maximum_reports = 3 };

static const char notes_file[] = "/run/lab/notes";

void send_frame(struct session *session, char kind, const void *content, size_t length)
{
    if (!session->is_connected)
        return;
    struct header header = {.kind = kind, .length = htonl((uint32_t)length)};
    append(&session->sent, &header, sizeof header);
    append(&session->sent, content, length);
}

void send_text(struct session *session, char kind, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_frame(session, kind, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

// What guest scripts have noted since the command began.
static void send_notes(struct session *session)
{
    FILE *file = fopen(notes_file, "re");
    char line[512];
    if (file == NULL)
        return;
    fseek(file, session->notes, SEEK_SET);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        send_text(session, 'N', "%s", line);
    }
    fclose(file);
}

long length_of_notes(void)
{
    struct stat status;
    return stat(notes_file, &status) == 0 ? (long)status.st_size : 0;
}

struct kernel_reports {
    struct session *session;
    int count;
};

static void send_report(const char *headline, const char *text, void *context)
{
    (void)text;
    struct kernel_reports *reports = context;
    if (reports->count++ < maximum_reports)
        send_text(reports->session, 'N', "the kernel reported in dmesg.log: %s", headline);
}

// Returns whether there are any.
static bool send_kernel_reports(struct session *session)
{
    struct kernel_reports reports = {.session = session};
    if (session->kernel_log >= 0)
        take_reports(session->kernel_log, send_report, &reports);
    if (reports.count > maximum_reports)
        send_text(session, 'N', "the kernel reported %d more", reports.count - maximum_reports);
    return reports.count > 0;
}

bool keeps_whole_kernel_log;

// The end of the kernel's log, or all of it, beside the command's output.
static void keep_kernel_log(const struct session *session)
{
    enum { size = 1 << 18 };
    char *log = malloc(size), path[4096];
    int length = log == NULL ? 0 : klogctl(syslog_read_all, log, size);
    if (length > 0 && session->out_folder != NULL) {
        int begin = length - 1;
        for (int lines = 0; begin > 0; begin--)
            if (log[begin - 1] == '\n' && !keeps_whole_kernel_log && ++lines >= kernel_log_lines)
                break;
        snprintf(path, sizeof path, "%s/dmesg.log", session->out_folder);
        FILE *file = fopen(path, "we");
        if (file != NULL) {
            fwrite(log + begin, 1, (size_t)(length - begin), file);
            fclose(file);
        }
    }
    free(log);
}

void send_end(struct session *session)
{
    bool has_reports = send_kernel_reports(session);
    if (session->status != 0 || has_reports || keeps_whole_kernel_log)
        keep_kernel_log(session);
    send_notes(session);
    send_text(session, 'X', "%d", session->status);
}
