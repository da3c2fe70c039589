// The processes of a session's command.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "kernel_log.h"

enum { patience_for_output = 1000 /* ms */ };

static const char groups[] = "/sys/fs/cgroup", cores[] = "/run/lab/cores";

static void group_of(const struct session *session, char *path, size_t size, const char *file)
{
    snprintf(path, size, "%s/session%d%s", groups, session->number, file);
}

void kill_leftovers(const struct session *session)
{
    char path[128];
    group_of(session, path, sizeof path, "/cgroup.kill");
    write_text(path, "1");
}

void signal_command(const struct session *session, int number)
{
    if (session->child > 0 && kill(-session->child, number) < 0)
        kill(session->child, number);
}

static bool has_cores(void)
{
    DIR *folder = opendir(cores);
    bool has_some = false;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        has_some = has_some || entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return has_some;
}

// What programs that have crashed leave in the machine's memory is kept beside the command's output.
static pid_t keep_crashes(const struct session *session)
{
    const char *guest = getenv("LAB_GUEST");
    char program[PATH_MAX];
    if (guest == NULL || session->out_folder == NULL || !has_cores())
        return 0;
    snprintf(program, sizeof program, "%s/bin/lab-bundle", guest);
    pid_t process = fork();
    if (process != 0)
        return process;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    execl(program, program, "crashes", "--keep", session->out_folder, (char *)NULL);
    fprintf(stderr, "lab-agent: cannot run %s: %s\n", program, strerror(errno));
    _exit(not_found);
}

void child_ended(struct session *session, int status)
{
    if (!session->keeps_crashes) {
        session->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        session->child = keep_crashes(session);
        session->keeps_crashes = session->child > 0;
        if (session->keeps_crashes)
            return;
    }
    session->child = 0;
    session->state = finishing;
    // Programs that the command left running may keep its output open.
    session->deadline = now() + patience_for_output;
}

// MARK: Starting a command

// What the host has sent to begin: texts, each followed by a NUL: the folder, the terminal's rows and columns ("0 0"
// without one), flags (k: kill what is left behind; f: see the host's files as they are now), the number of variables,
// the variables, the words.
struct command {
    char *folder, *flags;
    struct winsize size;
    char **variables, **words;
    int variable_count, word_count;
};

static bool parse(struct command *command, char *content, size_t length)
{
    enum { fixed = 4 };
    if (length == 0 || content[length - 1] != 0)
        return false;
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += content[i] == 0;
    char **texts = calloc((size_t)count + 1, sizeof *texts), *text = content;
    if (texts == NULL)
        return false;
    for (int i = 0; i < count; i++, text += strlen(text) + 1)
        texts[i] = text;
    *command = (struct command){.variables = texts};
    unsigned rows = 0, columns = 0;
    if (count < fixed + 1 || sscanf(texts[1], "%u %u", &rows, &columns) != 2)
        return false;
    command->folder = texts[0];
    command->size = (struct winsize){.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    command->flags = texts[2];
    command->variable_count = atoi(texts[3]);
    if (command->variable_count < 0 || command->variable_count >= count - fixed)
        return false;
    command->words = texts + fixed + command->variable_count;
    command->word_count = count - fixed - command->variable_count;
    // The array begins with the variables, so that it is the one to be freed.
    memmove(texts, texts + fixed, sizeof *texts * (size_t)command->variable_count);
    return true;
}

// Makes the kernel ask the host again for the names and attributes of unused files: they may have changed. An overlay's
// names keep those below it, so it takes two rounds.
static void forget_files(void)
{
    for (int i = 0; i < 2; i++)
        write_text("/proc/sys/vm/drop_caches", "2");
}

// In the child: becomes the command.
static _Noreturn void become(const struct session *session, const struct command *command, int in, int out, int err)
{
    char path[128];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    setsid();
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (session->has_terminal)
        ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    group_of(session, path, sizeof path, "");
    mkdir(path, 0755);
    group_of(session, path, sizeof path, "/cgroup.procs");
    write_text(path, "0");
    for (int i = 0; i < command->variable_count; i++)
        putenv(command->variables[i]);
    if (chdir(command->folder) < 0) {
        dprintf(STDERR_FILENO, "lab: cannot enter %s in the lab: %s\n", command->folder, strerror(errno));
        _exit(lab_failed);
    }
    setenv("PWD", command->folder, 1);
    execvp(command->words[0], command->words);
    dprintf(STDERR_FILENO, "lab: cannot run %s: %s\n", command->words[0], strerror(errno));
    _exit(errno == ENOENT ? not_found : not_executable);
}

// A terminal, or pipes: our ends in the session, the command's ends in `ends`.
static bool make_ends(struct session *session, const struct command *command, int ends[3])
{
    session->has_terminal = command->size.ws_row > 0;
    if (session->has_terminal) {
        int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
        char *name = master < 0 || unlockpt(master) < 0 ? NULL : ptsname(master);
        int slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
        ioctl(master, TIOCSWINSZ, &command->size);
        session->in = session->out = master;
        ends[0] = ends[1] = ends[2] = slave;
        return slave >= 0;
    }
    int pipes[3][2];
    for (int i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            return false;
        int ours = pipes[i][i == 0 ? 1 : 0];
        fcntl(ours, F_SETFL, O_NONBLOCK);
        ends[i] = pipes[i][i == 0 ? 0 : 1];
        *(i == 0 ? &session->in : i == 1 ? &session->out : &session->err) = ours;
    }
    return true;
}

static void note_variables(struct session *session, const struct command *command)
{
    static const char name[] = "LAB_OUT=";
    for (int i = 0; i < command->variable_count; i++)
        if (strncmp(command->variables[i], name, sizeof name - 1) == 0) {
            free(session->out_folder);
            session->out_folder = strdup(command->variables[i] + sizeof name - 1);
        }
}

void start_command(struct session *session, char *content, size_t length)
{
    struct command command = {0};
    int ends[3] = {-1, -1, -1};
    if (!parse(&command, content, length)) {
        send_text(session, 'X', "%d", lab_failed);
        free(command.variables);
        return;
    }
    session->kills_leftovers = strchr(command.flags, 'k') != NULL;
    if (strchr(command.flags, 'f') != NULL)
        forget_files();
    session->notes = length_of_notes();
    session->kernel_log = open_kernel_log();
    session->keeps_crashes = false;
    note_variables(session, &command);
    session->ends_input = false;
    if (make_ends(session, &command, ends))
        session->child = fork();
    if (session->child == 0 && ends[0] >= 0)
        become(session, &command, ends[0], ends[1], ends[2]);
    session->state = running;
    session->deadline = 0;
    if (session->child <= 0) {
        send_text(session, 'E', "lab: cannot start a process: %s\n", strerror(errno));
        child_ended(session, lab_failed << 8);
    }
    for (int i = 0; i < (session->has_terminal ? 1 : 3); i++)
        close_one(&ends[i]);
    free(command.variables);
}
