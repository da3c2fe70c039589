// Runs bluetoothd, and runs it again if it ends by itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"

enum { maximum_early_ends = 3, early = 2 /* s */, pause_before_next = 20 /* ms */, kernel_log_lines = 3 };

static const char *run_folder, *log_folder;

static void path_in(const char *folder, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

bool is_wanted(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && status.st_size > 0;
}

static bool goes_on(void)
{
    char path[PATH_MAX];
    path_in(run_folder, "bluetoothd.wanted", path);
    return is_wanted(path);
}

static void empty(const char *name)
{
    char path[PATH_MAX];
    path_in(run_folder, name, path);
    if (truncate(path, 0) < 0 && errno != ENOENT)
        fprintf(stderr, "lab-daemon: cannot write to %s: %s\n", path, strerror(errno));
}

static void give_up(void) { empty("bluetoothd.wanted"); }

// Readers find the old number or the new one, and never half of it.
static bool write_process(pid_t process)
{
    char path[PATH_MAX], new[PATH_MAX];
    path_in(run_folder, "bluetoothd.pid", path);
    path_in(run_folder, "bluetoothd.pid.new", new);
    FILE *file = fopen(new, "we");
    if (file == NULL)
        return false;
    fprintf(file, "%d\n", (int)process);
    return fclose(file) == 0 && rename(new, path) == 0;
}

static void append_to(const char *folder, const char *name, const char *text, size_t length)
{
    char path[PATH_MAX];
    path_in(folder, name, path);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    if (write(file, text, length) < 0)
        fprintf(stderr, "lab-daemon: cannot write to %s: %s\n", path, strerror(errno));
    close(file);
}

// The kernel often knows why.
static void append_kernel_log(void)
{
    enum { syslog_read_all = 3, size = 1 << 14 };
    static char log[size];
    int length = klogctl(syslog_read_all, log, size);
    if (length <= 0)
        return;
    int begin = length - 1;
    for (int lines = 0; begin > 0; begin--)
        if (log[begin - 1] == '\n' && ++lines >= kernel_log_lines)
            break;
    append_to(log_folder, "lab.log", log + begin, (size_t)(length - begin));
}

static void note_end(pid_t process, int status)
{
    char text[128];
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    int length = snprintf(text, sizeof text, "bluetoothd (%d) ended by itself with status %d, and was started again\n",
        (int)process, code);
    append_to(log_folder, "bluetoothd.log", text, (size_t)length);
    append_to(log_folder, "lab.log", text, (size_t)length);
    append_to(run_folder, "notes", text, (size_t)length);
    append_kernel_log();
}

// A daemon keeps none of its starter's descriptors open, and does not end with the command that has started it.
static void leave_starter(void)
{
    const char *lab = getenv("LAB");
    setsid();
    close_range(3, ~0U, 0);
    if (lab == NULL || strcmp(lab, "host") != 0) {
        int group = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY | O_CLOEXEC);
        if (group >= 0 && write(group, "0", 1) < 0)
            fprintf(stderr, "lab-daemon: cannot leave the command's group: %s\n", strerror(errno));
        if (group >= 0)
            close(group);
    }
}

int keep_daemon(char **words)
{
    run_folder = words[0];
    log_folder = words[1];
    char **command = words + 2;
    leave_starter();
    for (int early_ends = 0; goes_on();) {
        struct timespec began, ended, pause = {.tv_nsec = pause_before_next * 1000000L};
        clock_gettime(CLOCK_MONOTONIC, &began);
        pid_t process = vfork();
        if (process == 0) {
            execv(command[0], command);
            _exit(127);
        }
        if (process < 0 || !write_process(process)) {
            fprintf(stderr, "lab-daemon: cannot run bluetoothd: %s\n", strerror(errno));
            give_up();
            return 1;
        }
        int status = 0;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR)
            ;
        if (!goes_on()) {
            // Whoever wanted its end may start the next one now, which this must not take for its own.
            empty("bluetoothd.pid");
            return 0;
        }
        note_end(process, status);
        clock_gettime(CLOCK_MONOTONIC, &ended);
        early_ends = ended.tv_sec - began.tv_sec < early ? early_ends + 1 : 0;
        if (early_ends >= maximum_early_ends)
            give_up();
        nanosleep(&pause, NULL);
    }
    return 0;
}
