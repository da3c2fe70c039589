// clock-keeper: keeps a simulated clock from leaping while the machine waits for its host.
//
// usage: clock-keeper    (returns when it has begun; it goes on in the background)
//
// The machine's clock leaps over time in which its processor has nothing to do. While a program waits for the host to
// read a file, the host takes real time: the clock would leap past the limits that other programs have set. So this
// process keeps the processor busy whenever nothing else does and somebody waits for the host:
//
// - a process with a request for a file (9p), from the kernel's trace event for the request to that for the answer.
//   A process has one request at a time. A signal makes it send another one, to take back the first, whose answer it
//   then does not report; so it is the process that counts and not the request. In user-mode Linux there are no such
//   requests: the whole machine waits.
// - a process that has written "hold" into `trace_marker` of this program's trace, until it writes "release".
//
// Processes take turns at one processor. This one is woken by an event before the process that caused it goes to sleep,
// so there is no moment in between at which the processor is idle.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tracing[] = "/sys/kernel/tracing/instances/clock_keeper";

// MARK: Who waits for the host

struct waiter {
    long process;
    bool by_marker; // or by a request
};

enum { maximum_waiters = 1024 };
static struct waiter waiters[maximum_waiters];
static size_t waiter_count;

static void set_waiting(struct waiter waiter, bool is_waiting)
{
    size_t i = 0;
    while (i < waiter_count && (waiters[i].process != waiter.process || waiters[i].by_marker != waiter.by_marker))
        i++;
    if (is_waiting && i == waiter_count && waiter_count < maximum_waiters)
        waiters[waiter_count++] = waiter;
    else if (!is_waiting && i < waiter_count)
        waiters[i] = waiters[--waiter_count];
}

// MARK: Lines of the trace

// Whether the line has this event; then *content is what follows its name.
static bool has_event(const char *line, const char *event, const char **content)
{
    const char *found = strstr(line, event);
    if (found != NULL)
        *content = found + strlen(event);
    return found != NULL;
}

// The number of the process that caused an event: "COMMAND-NUMBER  [PROCESSOR] …". The command may have any characters.
static long process_of(const char *line, const char *event)
{
    const char *end = event;
    while (end > line && *end != '[')
        end--;
    while (end > line && end[-1] == ' ')
        end--;
    while (end > line && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return atol(end);
}

static void take_line(const char *line)
{
    const char *content;
    if (has_event(line, ": 9p_client_req: ", &content)) {
        set_waiting((struct waiter){process_of(line, content), false}, true);
    } else if (has_event(line, ": 9p_client_res: ", &content)) {
        set_waiting((struct waiter){process_of(line, content), false}, false);
    } else if (has_event(line, ": tracing_mark_write: ", &content)) {
        bool is_held = strcmp(content, "hold") == 0;
        if (is_held || strcmp(content, "release") == 0)
            set_waiting((struct waiter){process_of(line, content), true}, is_held);
    } else if (strstr(line, " EVENTS]") != NULL) {
        // "[LOST 12 EVENTS]": whoever waits shows up again with the next request.
        fprintf(stderr, "clock-keeper: %s\n", line);
        waiter_count = 0;
    }
}

// Takes the whole lines of a text, and returns how many bytes at its end are not one yet.
static size_t take_lines(char *text, size_t length)
{
    char *line = text, *end;
    while ((end = memchr(line, '\n', (size_t)(text + length - line))) != NULL) {
        *end = 0;
        take_line(line);
        line = end + 1;
    }
    size_t rest = (size_t)(text + length - line);
    memmove(text, line, rest);
    return rest;
}

// MARK: The trace

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

// The trace as it goes on; -1 after an error, which is printed.
static int begin_trace(void)
{
    char path[128];
    int pipe = -1;
    if (mkdir(tracing, 0700) == 0 || errno == EEXIST) {
        write_text("trace_options", "norecord-cmd"); // only the numbers of processes are of use
        snprintf(path, sizeof path, "%s/trace_pipe", tracing);
        bool has_requests = write_text("events/9p/9p_client_req/enable", "1");
        if (has_requests ? write_text("events/9p/9p_client_res/enable", "1") : errno == ENOENT)
            pipe = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (pipe < 0)
        perror("clock-keeper: cannot trace requests to the host");
    return pipe;
}

static _Noreturn void keep(int pipe)
{
    enum { size = 1 << 16, longest_line = 1 << 10 };
    static char text[size + longest_line];
    size_t kept = 0;
    for (;;) {
        fcntl(pipe, F_SETFL, waiter_count > 0 ? O_NONBLOCK : 0);
        ssize_t count = read(pipe, text + kept, size);
        if (count > 0)
            kept = take_lines(text, kept + (size_t)count);
        if (kept > longest_line)
            kept = 0; // not a line of ours
    }
}

int main(void)
{
    struct sched_param lowest = {0};
    int ready[2], pipe = begin_trace();
    if (pipe < 0 || pipe2(ready, O_CLOEXEC) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ready[0]);
        // Nobody would keep the clock while this one waits for a part of its own program.
        if (setsid() < 0 || mlockall(MCL_CURRENT | MCL_FUTURE) < 0 || sched_setscheduler(0, SCHED_IDLE, &lowest) < 0) {
            perror("clock-keeper");
            return 1;
        }
        (void)!write(ready[1], "", 1);
        close(ready[1]);
        keep(pipe);
    }
    char byte;
    close(ready[1]);
    return child > 0 && read(ready[0], &byte, 1) == 1 ? 0 : 1;
}
