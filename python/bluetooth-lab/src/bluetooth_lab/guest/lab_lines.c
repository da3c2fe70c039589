// lab-lines: copies its input to its output, and each line of it, after its time, to a file.
//
// usage: lab-lines FILE
//
// It is in C because bash reads a pipe byte by byte, and each read takes time.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

// As it is read; a longer line is kept in parts.
static char line[1 << 16];
static size_t length;

static bool write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

// At once, because others append to the same file.
static void keep_line(int file, const struct timeval *time)
{
    char moment[32];
    int size = snprintf(moment, sizeof moment, "%lld.%06ld ", (long long)time->tv_sec, (long)time->tv_usec);
    struct iovec parts[] = {{moment, (size_t)size}, {line, length}, {"\n", 1}};
    if (writev(file, parts, 3) < 0)
        fprintf(stderr, "lab-lines: %s\n", strerror(errno));
    length = 0;
}

static void keep(int file, const char *bytes, size_t count)
{
    struct timeval time;
    gettimeofday(&time, NULL);
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n')
            line[length++] = bytes[i];
        if (bytes[i] == '\n' || length == sizeof line)
            keep_line(file, &time);
    }
}

int main(int count, char **words)
{
    static char bytes[1 << 16];
    if (count != 2) {
        fputs("usage: lab-lines FILE\n", stderr);
        return 2;
    }
    int file = open(words[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
        fprintf(stderr, "lab-lines: cannot open %s: %s\n", words[1], strerror(errno));
        return 1;
    }
    // What is interrupted may still have something to say.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            break;
        keep(file, bytes, (size_t)size);
        if (!write_all(bytes, (size_t)size))
            return 1;
    }
    if (length > 0)
        keep(file, "\n", 1);
    return 0;
}
