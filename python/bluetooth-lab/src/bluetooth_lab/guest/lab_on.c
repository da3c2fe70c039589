// lab-on: runs a command on another host of the lab (see the usage), through that process of this host that
// bluetooth_lab/peer.py runs.
//
// It is in C because an interpreter takes seconds to start in software emulation.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: lab-on HOST COMMAND [ARG...]      HOST: a, b, ...\n"
    "\n"
    "Runs a command on a host of the lab (./lab run --hosts N). This program prints what the command prints, and ends\n"
    "with its exit status. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 reach it. The command runs in the same "
    "folder,\n"
    "with the environment and user of the other host and an empty standard input. It ends when this program does.\n";

static const char socket_path[] = "/run/lab/peer-%c.sock";
enum { misuse = 2, lab_failed = 125, not_found = 127 };
enum { timeout = 60 /* s */, pause_before_retry = 50 /* ms */ };

struct __attribute__((packed)) header {
    uint32_t call;
    char kind;
    uint32_t length;
};

static _Noreturn void fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("lab-on: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

static bool write_all(int descriptor, const void *data, size_t length)
{
    for (const char *rest = data; length > 0;) {
        ssize_t written = write(descriptor, rest, length);
        if (written < 0 && errno != EINTR)
            return false;
        rest += written < 0 ? 0 : written;
        length -= written < 0 ? 0 : (size_t)written;
    }
    return true;
}

static void read_all(int descriptor, void *data, size_t length)
{
    for (char *rest = data; length > 0;) {
        ssize_t count = read(descriptor, rest, length);
        if (count == 0 || (count < 0 && errno != EINTR))
            fail(lab_failed, "the other host has ended");
        rest += count < 0 ? 0 : count;
        length -= count < 0 ? 0 : (size_t)count;
    }
}

static void send_frame(int peer, char kind, const char *content, size_t length)
{
    struct header header = {.kind = kind, .length = htonl((uint32_t)length)};
    if (!write_all(peer, &header, sizeof header) || !write_all(peer, content, length))
        fail(lab_failed, "the other host has ended");
}

// Waits for the socket, which appears soon after this host's Bluetooth is up.
static int connect_to_peer(char host)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, socket_path, host);
    time_t deadline = time(NULL) + timeout;
    for (;;) {
        int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (peer >= 0 && connect(peer, (struct sockaddr *)&address, sizeof address) == 0)
            return peer;
        if (peer < 0 || time(NULL) > deadline)
            fail(lab_failed, "the other host cannot be reached: %s", strerror(errno));
        close(peer);
        poll(NULL, 0, pause_before_retry);
    }
}

// Sends the folder and the words of the command, each followed by a NUL.
static void send_command(int peer, char **words)
{
    char *folder = getcwd(NULL, 0), *content = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&content, &length);
    if (folder == NULL || stream == NULL)
        fail(lab_failed, "%s", strerror(errno));
    fwrite(folder, 1, strlen(folder) + 1, stream);
    for (; *words != NULL; words++)
        fwrite(*words, 1, strlen(*words) + 1, stream);
    fclose(stream);
    send_frame(peer, 'C', content, length);
    free(content);
    free(folder);
}

static void pass_signal(int signals, int peer)
{
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal)
        return;
    char number[12];
    snprintf(number, sizeof number, "%u", signal.ssi_signo);
    send_frame(peer, 'S', number, strlen(number));
}

static void take_frame(int peer)
{
    struct header header;
    read_all(peer, &header, sizeof header);
    size_t length = ntohl(header.length);
    char *content = calloc(length + 1, 1);
    if (content == NULL)
        fail(lab_failed, "%s", strerror(errno));
    read_all(peer, content, length);
    if (header.kind == 'X')
        exit(atoi(content));
    if (!write_all(header.kind == 'O' ? 1 : 2, content, length))
        exit(128 + SIGPIPE); // our output is no longer read
    free(content);
}

int main(int count, char **words)
{
    if (count < 3) {
        fputs(usage, stderr);
        return misuse;
    }
    // A letter for each host.
    const char *here = getenv("LAB_HOST"), *hosts = getenv("LAB_HOSTS"), *host = words[1];
    if (here == NULL || hosts == NULL)
        fail(lab_failed, "this lab has one host; ./lab run --hosts 2 starts two");
    if (strlen(host) != 1 || strchr(hosts, *host) == NULL)
        fail(misuse, "unknown host %s; valid: a to %s", host, hosts + strlen(hosts) - 1);
    if (strcmp(host, here) == 0) {
        execvp(words[2], words + 2);
        fail(not_found, "%s: %s", words[2], strerror(errno));
    }
    sigset_t passed;
    sigemptyset(&passed);
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&passed, numbers[i]);
    sigprocmask(SIG_BLOCK, &passed, NULL);
    signal(SIGPIPE, SIG_IGN);
    int signals = signalfd(-1, &passed, SFD_CLOEXEC);
    if (signals < 0)
        fail(lab_failed, "%s", strerror(errno));
    int peer = connect_to_peer(*host);
    send_command(peer, words + 2);
    for (;;) {
        struct pollfd waiting[] = {{.fd = peer, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        if (poll(waiting, 2, -1) < 0)
            continue;
        if (waiting[1].revents != 0)
            pass_signal(signals, peer);
        if (waiting[0].revents != 0)
            take_frame(peer);
    }
}
