// clock-keeper: lets a simulated clock go no faster than the host's while the host is asked for files.
//
// usage: clock-keeper
//
// The machine's clock leaps over time in which its processor has nothing to do. While a program waits for the host to
// read a file, that time is real: the clock would leap past the limits that others have set. The kernel's trace has an
// event for each request to the host and for each answer. As long as there are more requests than answers, this process
// keeps the processor busy, when no other one does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tracing[] = "/sys/kernel/tracing/instances/clock_keeper";

static bool write_text(const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", tracing, file);
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool is_written = write(descriptor, text, strlen(text)) > 0;
    close(descriptor);
    return is_written;
}

// How many of the text's whole lines have this in them.
static long occurrences(const char *text, const char *part)
{
    long count = 0;
    for (const char *found = text; (found = strstr(found, part)) != NULL; found += strlen(part))
        count++;
    return count;
}

int main(void)
{
    enum { size = 1 << 16, longest_line = 512 };
    static char text[size + longest_line];
    char path[128];
    struct sched_param lowest = {0};
    if (mkdir(tracing, 0700) < 0 && errno != EEXIST) {
        perror("clock-keeper: cannot trace");
        return 1;
    }
    if (!write_text("events/9p/9p_client_req/enable", "1") || !write_text("events/9p/9p_client_res/enable", "1")) {
        perror("clock-keeper: cannot trace requests to the host");
        return 1;
    }
    snprintf(path, sizeof path, "%s/trace_pipe", tracing);
    int pipe = open(path, O_RDONLY | O_CLOEXEC);
    if (pipe < 0) {
        perror("clock-keeper: cannot read the trace");
        return 1;
    }
    sched_setscheduler(0, SCHED_IDLE, &lowest);
    long open_requests = 0;
    size_t kept = 0;
    for (;;) {
        fcntl(pipe, F_SETFL, open_requests > 0 ? O_NONBLOCK : 0);
        ssize_t count = read(pipe, text + kept, size);
        if (count <= 0)
            continue;
        size_t length = kept + (size_t)count;
        text[length] = 0;
        char *end = memrchr(text, '\n', length);
        char *rest = end == NULL ? text : end + 1;
        char first = *rest;
        *rest = 0;
        open_requests += occurrences(text, ": 9p_client_req: ") - occurrences(text, ": 9p_client_res: ");
        *rest = first;
        kept = (size_t)(text + length - rest);
        if (kept > longest_line)
            kept = 0; // not a line of ours
        memmove(text, rest, kept);
        if (open_requests < 0)
            open_requests = 0; // some were under way when this began
    }
}
