// lab-agent: the guest's last process to be started and its first one to the kernel. It runs the commands that the host
// sends over virtio ports, one at a time on each (bluetooth_lab/machine/frames.py has the protocol).
//
// usage: lab-agent PORT…
//        lab-agent kernel-reports <LOG      prints what the kernel reports of its own mistakes in its log, from where
//                                           the descriptor is
//
// It is in C because an interpreter takes seconds to start in software emulation.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "frame.h"
#include "kernel_log.h"

enum { maximum_sessions = 32, maximum_output = 1 << 15, patience_after_hang_up = 2000 /* ms */ };

static struct session sessions[maximum_sessions];
static int session_count;
static const char trace_marker[] = "/sys/kernel/tracing/instances/clock_keeper/trace_marker";
// With simulated time, that file; else -1.
static int clock_holder = -1;
// Whether a host may have come to a port that had none, or has become free.
static bool must_look;

int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// MARK: The end of a command

static void end_session(struct session *session)
{
    if (session->kills_leftovers)
        kill_leftovers(session);
    close_one(&session->in);
    if (session->has_terminal)
        session->out = -1; // the same descriptor
    close_one(&session->out);
    close_one(&session->err);
    close_one(&session->kernel_log);
    free(session->out_folder);
    clear(&session->input);
    session->out_folder = NULL;
    session->state = idle;
    session->deadline = 0;
    session->child = 0;
    must_look = true;
}

// All output has been read, or nobody is there to read it.
static void report_end(struct session *session)
{
    send_end(session);
    end_session(session);
}

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < session_count; i++)
            if (sessions[i].child == pid)
                child_ended(&sessions[i], status);
}

// MARK: From the host

static void take_input(struct session *session, const char *content, size_t length)
{
    if (session->state != running)
        return;
    if (length == 0)
        session->ends_input = true;
    else
        append(&session->input, content, length);
}

static void resize(const struct session *session, const char *text)
{
    unsigned rows = 0, columns = 0;
    if (session->has_terminal && session->out >= 0 && sscanf(text, "%u %u", &rows, &columns) == 2) {
        struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
        ioctl(session->out, TIOCSWINSZ, &size);
    }
}

// No caller is left who wants the command.
static void host_disconnected(struct session *session)
{
    session->is_connected = false;
    // The kernel can report the end of a port after data of the next host; the answer to those stays.
    if (session->state != idle)
        clear(&session->sent);
    must_look = must_look || session->state == idle;
    if (session->state == running && session->deadline == 0) {
        signal_command(session, SIGHUP);
        signal_command(session, SIGTERM);
        session->deadline = now() + patience_after_hang_up;
    }
}

// `content` is followed by a NUL.
static void handle_frame(struct session *session, char kind, char *content, size_t length)
{
    switch (kind) {
    case 'H': send_frame(session, 'H', content, length); break;
    case 'C':
        if (session->state == idle)
            start_command(session, content, length);
        break;
    case 'I': take_input(session, content, length); break;
    case 'S': signal_command(session, atoi(content)); break;
    case 'W': resize(session, content); break;
    case 'L': host_disconnected(session); break;
    }
}

// Until the host disconnects: what the next one has sent since then is for later.
static void handle_frames(struct session *session)
{
    struct buffer *received = &session->received;
    struct header header;
    while (session->is_connected && length_of(received) >= sizeof header) {
        memcpy(&header, received->bytes + received->begin, sizeof header);
        size_t length = ntohl(header.length);
        if (length > maximum_content) { // not a host of ours: the rest cannot be understood
            clear(received);
            return;
        }
        if (length_of(received) < sizeof header + length)
            return;
        char *content = malloc(length + 1);
        if (content == NULL)
            abort();
        memcpy(content, received->bytes + received->begin + sizeof header, length);
        content[length] = 0;
        received->begin += sizeof header + length;
        handle_frame(session, header.kind, content, length);
        free(content);
    }
}

// The host has closed its end of the port.
static void hung_up(struct session *session)
{
    clear(&session->received);
    host_disconnected(session);
}

static void read_port(struct session *session)
{
    char bytes[1 << 14];
    ssize_t count = read(session->port, bytes, sizeof bytes);
    if (count > 0) {
        append(&session->received, bytes, (size_t)count);
        handle_frames(session);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        hung_up(session); // a port without a host can be read, and has nothing
    }
}

// MARK: Streams of the command

// Passes on what the command has written; no more than the host takes.
static void read_output(struct session *session, int *descriptor, char kind)
{
    char bytes[maximum_output / 2];
    ssize_t count = read(*descriptor, bytes, sizeof bytes);
    if (count > 0) {
        send_frame(session, kind, bytes, (size_t)count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        // A terminal has only one descriptor, for input, too.
        if (session->has_terminal)
            close_one(&session->in);
        else
            close(*descriptor);
        *descriptor = -1;
    }
}

static void write_input(struct session *session)
{
    size_t before = length_of(&session->input);
    if (!flush(&session->input, session->in)) // the command has closed its input
        session->input.begin = session->input.end;
    if (before > 0 && length_of(&session->input) == 0)
        send_frame(session, 'R', NULL, 0);
}

// MARK: Simulated time

// Whether there is nothing to be done before the host has done something: begun a command, or taken output. Not while a
// command waits for input, because most have one that nobody writes to.
static bool waits_for_host(void)
{
    bool is_idle = true;
    for (int i = 0; i < session_count; i++) {
        if (sessions[i].is_connected && length_of(&sessions[i].sent) > 0)
            return true;
        is_idle = is_idle && sessions[i].state == idle;
    }
    return is_idle;
}

// Time that leaps while the machine has nothing to do is kept from that (clock_keeper.c).
static void hold_clock(bool must_hold)
{
    static bool is_held;
    if (clock_holder >= 0 && must_hold != is_held) {
        const char *word = must_hold ? "hold" : "release";
        is_held = write(clock_holder, word, strlen(word)) > 0 ? must_hold : is_held;
    }
}

// MARK: The loop

static void tick(struct session *session)
{
    if (session->is_connected && !flush(&session->sent, session->port))
        hung_up(session);
    if (session->in >= 0 && session->ends_input && length_of(&session->input) == 0 && !session->has_terminal)
        close_one(&session->in);
    bool is_late = session->deadline != 0 && now() >= session->deadline;
    if (session->state == running && is_late) {
        signal_command(session, SIGKILL);
        session->deadline = now() + patience_after_hang_up;
    }
    if (session->state == finishing && (is_late || (session->out < 0 && session->err < 0)))
        report_end(session);
}

static int time_left(void)
{
    int64_t first = -1;
    for (int i = 0; i < session_count; i++)
        if (sessions[i].deadline != 0 && (first < 0 || sessions[i].deadline < first))
            first = sessions[i].deadline;
    int64_t left = first < 0 ? -1 : first - now();
    return (int)(first >= 0 && left < 0 ? 0 : left);
}

// What a session waits for: its port, the command's input, output and error output.
static void watch(struct session *session, struct pollfd polls[4])
{
    bool takes_output = length_of(&session->sent) < maximum_output || !session->is_connected;
    bool has_input = length_of(&session->input) > 0;
    // A command is taken when nothing runs. A missing host would end every wait at once; SIGIO reports when one
    // comes.
    polls[0] = (struct pollfd){.fd = session->is_connected ? session->port : -1, .events = POLLIN};
    if (length_of(&session->sent) > 0)
        polls[0].events |= POLLOUT;
    polls[1] = (struct pollfd){.fd = has_input && !session->has_terminal ? session->in : -1, .events = POLLOUT};
    polls[2] = (struct pollfd){.fd = takes_output ? session->out : -1, .events = POLLIN};
    if (has_input && session->has_terminal)
        polls[2].events |= POLLOUT;
    polls[3] = (struct pollfd){.fd = takes_output ? session->err : -1, .events = POLLIN};
}

static void serve(struct session *session, const struct pollfd polls[4])
{
    if (polls[0].revents & POLLIN)
        read_port(session);
    else if (polls[0].revents & (POLLHUP | POLLERR))
        hung_up(session);
    if (session->in >= 0 && (polls[1].revents || polls[2].revents & POLLOUT))
        write_input(session);
    if (session->out >= 0 && polls[2].revents & (POLLIN | POLLHUP | POLLERR))
        read_output(session, &session->out, 'O');
    if (session->err >= 0 && polls[3].revents & (POLLIN | POLLHUP | POLLERR))
        read_output(session, &session->err, 'E');
}

static void look_for_hosts(void)
{
    must_look = false;
    for (int i = 0; i < session_count; i++) {
        struct pollfd port = {.fd = sessions[i].port, .events = POLLIN};
        // What an earlier host had begun is ended before another one is heard.
        if (sessions[i].is_connected || sessions[i].state != idle || poll(&port, 1, 0) < 0)
            continue;
        sessions[i].is_connected = !(port.revents & POLLHUP);
        handle_frames(&sessions[i]);
    }
}

static int watched_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGIO);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void add_session(const char *path)
{
    int port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (port < 0 || session_count == maximum_sessions) {
        fprintf(stderr, "lab-agent: cannot use %s: %s\n", path, strerror(errno));
        return;
    }
    fcntl(port, F_SETOWN, getpid());
    fcntl(port, F_SETFL, O_NONBLOCK | O_ASYNC);
    struct session *session = &sessions[session_count];
    *session =
        (struct session){.number = session_count++, .port = port, .in = -1, .out = -1, .err = -1, .kernel_log = -1};
}

// A run that is the same each time has its first frames with its job: those of the host would come at any moment.
static void take_first_frames(struct session *session, const char *path)
{
    char bytes[1 << 14];
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fprintf(stderr, "lab-agent: cannot read %s: %s\n", path, strerror(errno));
        return;
    }
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        append(&session->received, bytes, count);
    fclose(file);
}

// Has the kernel vary what programs do from here on (setup/uml/variation.patch). The file has a parameter and its value
// on each line; explore/variation.py makes it equally long, with as many lines, whatever they say.
static void begin_variation(const char *path)
{
    static char text[1 << 16];
    char parameter[128], *rest = text;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    close(file);
    if (length < 0)
        fprintf(stderr, "lab-agent: cannot read %s: %s\n", path, strerror(errno));
    for (char *line; length > 0 && (line = strsep(&rest, "\n")) != NULL;) {
        char *value = strchr(line, ' ');
        if (value == NULL)
            continue;
        *value = 0;
        snprintf(parameter, sizeof parameter, "/sys/module/vary/parameters/%s", line);
        if (!write_text(parameter, value + 1))
            fprintf(stderr, "lab-agent: cannot set %s: %s\n", parameter, strerror(errno));
    }
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "kernel-reports") == 0)
        return print_reports();
    const char *clock = getenv("LAB_CLOCK");
    if (clock != NULL && strcmp(clock, "simulated") == 0)
        clock_holder = open(trace_marker, O_WRONLY | O_CLOEXEC);
    int signals = watched_signals();
    for (int i = 1; i < count; i++)
        add_session(words[i]);
    if (session_count == 0)
        return lab_failed;
    const char *begin = getenv("LAB_BEGIN"), *variation = getenv("LAB_VARIATION");
    if (begin != NULL)
        take_first_frames(&sessions[0], begin);
    if (variation != NULL) {
        begin_variation(variation);
        keeps_whole_kernel_log = true;
    }
    unsetenv("LAB_BEGIN");
    unsetenv("LAB_VARIATION");
    must_look = true;
    for (;;) {
        struct pollfd polls[1 + 4 * maximum_sessions] = {{.fd = signals, .events = POLLIN}};
        for (int i = 0; i < session_count; i++)
            tick(&sessions[i]);
        while (must_look) // once for each host that has disconnected already
            look_for_hosts();
        for (int i = 0; i < session_count; i++)
            watch(&sessions[i], polls + 1 + 4 * i);
        hold_clock(waits_for_host());
        if (poll(polls, (nfds_t)(1 + 4 * session_count), time_left()) < 0)
            continue;
        struct signalfd_siginfo signal;
        while (read(signals, &signal, sizeof signal) == sizeof signal)
            must_look = must_look || signal.ssi_signo == SIGIO;
        for (int i = 0; i < session_count; i++)
            serve(&sessions[i], polls + 1 + 4 * i);
        reap();
    }
}
