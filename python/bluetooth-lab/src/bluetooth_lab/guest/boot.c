// lab_boot: makes the host's file system the machine's root, writable over a tmpfs that is lost with the machine, and
// becomes guest/init there.
//
// usage: lab_boot
//
// In user-mode Linux (UML) the kernel starts it, and its command line has come as variables: LAB_JOB, the folder of the
// job, and LAB_PORTS, the names of the ports, which are the serial lines from the first on. In a virtual machine
// guest/boot has loaded the modules first, and the job comes over a port.
//
// It is one program in C because each start of another one, such as mount, takes 7 ms in user-mode Linux.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { maximum_tries = 1000 /* 10 ms each */, maximum_ports = 64 };

static const char root[] = "/mnt", host[] = "/run/lab/host", upper[] = "/run/lab/upper";

static void say(const char *format, va_list values)
{
    int reason = errno;
    printf("lab: ");
    vprintf(format, values);
    if (reason != 0)
        printf(": %s", strerror(reason));
    printf("\n");
    fflush(stdout);
}

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
}

// Without a reason if errno is 0.
__attribute__((format(printf, 1, 2))) static _Noreturn void stuck(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
    reboot(RB_POWER_OFF);
    _exit(1);
}

// MARK: Files

__attribute__((format(printf, 1, 2))) static const char *path_of(const char *format, ...)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(path, PATH_MAX, format, values);
    va_end(values);
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        stuck("%s", path);
    }
    return path;
}

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

// With the folders that it is in.
static void make_folder(const char *path, mode_t mode)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *end = folder + 1; (end = strchr(end, '/')) != NULL; *end++ = '/') {
        *end = 0;
        mkdir(folder, 0755);
    }
    if (mkdir(folder, mode) < 0 && errno != EEXIST)
        warn("cannot make %s", folder);
}

static void make_link(const char *text, const char *path)
{
    unlink(path);
    if (symlink(text, path) < 0)
        warn("cannot make %s", path);
}

static void write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        warn("cannot write %s", path);
    close(file);
}

// NULL if there is none; the end of the text is followed by a second NUL.
static char *content_of(const char *path)
{
    enum { most = 1 << 16 };
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = file < 0 ? NULL : calloc(1, most + 2);
    for (ssize_t count = 0, length = 0; text != NULL && length < most; length += count)
        if ((count = read(file, text + length, (size_t)(most - length))) <= 0)
            break;
    close(file);
    return text;
}

static void mount_one(const char *type, const char *path, const char *options)
{
    if (mount(type, path, type, 0, options) < 0)
        warn("cannot mount %s at %s", type, path);
}

// MARK: What all machines have

static void start_loopback(void)
{
    int end = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (ioctl(end, SIOCSIFFLAGS, &request) < 0)
        warn("no loopback");
    close(end);
}

// What the kernel shows as files, and files in memory.
static void make_files(void)
{
    mount_one("proc", "/proc", NULL);
    mount_one("sysfs", "/sys", NULL);
    mount_one("devtmpfs", "/dev", "mode=755");
    mount_one("tmpfs", "/run", "mode=755");
    static const char *const folders[] = {"/run/dbus", "/run/lock", "/run/lab/host", "/run/lab/work", "/run/lab/cores",
        "/dev/pts", "/dev/shm", "/dev/virtio-ports"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folders[i], 0755);
    make_folder("/run/lab/home", 0700);
    make_folder("/run/user/0", 0700);
    mkfifo("/run/lab/nap", 0644);
    // A program that crashes leaves a core file (bundle/crashes.py): the thread's name, the process's number, the
    // signal and the time. They are in memory, so there are no more of them than fit here. init sets how large one may
    // be.
    mount_one("tmpfs", "/run/lab/cores", "mode=1777,size=256m");
    write_file("/proc/sys/kernel/core_pattern", "/run/lab/cores/%e.%p.%s.%t");
    mount_one("devpts", "/dev/pts", "mode=620,ptmxmode=666");
    mount_one("tmpfs", "/dev/shm", "mode=1777");
    mount_one("cgroup2", "/sys/fs/cgroup", NULL);
    // With simulated time its keeper looks on there; init says so if this kernel has none.
    mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
    make_link("/proc/self/fd", "/dev/fd");
    make_link("fd/0", "/dev/stdin");
    make_link("fd/1", "/dev/stdout");
    make_link("fd/2", "/dev/stderr");
    start_loopback();
}

// What is put into the upper layer before it lies on the host's files costs no look at those.
static void fill_upper(void)
{
    make_folder(path_of("%s/etc/bluetooth", upper), 0755);
    make_folder(path_of("%s/var/lib/bluetooth", upper), 0755);
    // GATT over one bearer keeps notifications in order.
    write_file(path_of("%s/etc/bluetooth/main.conf", upper),
        "[General]\nControllerMode = le\n[GATT]\nChannels = 1\n[Policy]\nAutoEnable = true\n");
}

// MARK: Accounts

// `names`: the host's file that has them; `rest`: what follows the password's field, which is locked.
static void write_locked(const char *names, const char *file, const char *rest)
{
    char *all = content_of(path_of("%s/etc/%s", host, names)), *next = all;
    const char *path = path_of("%s/etc/%s", upper, file);
    FILE *out = all == NULL ? NULL : fopen(path, "we");
    for (char *line; out != NULL && (line = strsep(&next, "\n")) != NULL;) {
        size_t length = strcspn(line, ":");
        if (length > 0 && line[length] == ':')
            fprintf(out, "%.*s:*%s\n", (int)length, line, rest);
    }
    if (out != NULL && (fclose(out) != 0 || chmod(path, 0640) < 0))
        warn("cannot write %s", path);
    free(all);
}

// Where the lab's user may not read the host's passwords, the machine's root cannot either, and no program could add a
// user or a group. So the accounts have others, with which nobody can log in.
static void hide_passwords(void)
{
    char *passwords = content_of(path_of("%s/etc/shadow", host));
    if (passwords == NULL && exists(path_of("%s/etc/shadow", host))) {
        write_locked("passwd", "shadow", ":::::::");
        write_locked("group", "gshadow", "::");
        // The lock, and the copies that are made before a change.
        static const char *const others[] = {
            ".pwd.lock", "passwd-", "group-", "shadow-", "gshadow-", "subuid-", "subgid-"};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            const char *other = path_of("%s/etc/%s", upper, others[i]);
            write_file(other, "");
            chmod(other, 0600);
        }
    }
    free(passwords);
}

// MARK: The job

// Takes over the variables of its file `boot`, NAME=VALUE, each with a NUL after it.
static void take_variables(const char *file)
{
    char *text = content_of(file);
    if (text == NULL)
        stuck("cannot read %s", file);
    for (; *text != 0; text += strlen(text) + 1)
        if (putenv(text) != 0)
            stuck("cannot take %s", text);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    errno = 0;
    if (value == NULL)
        stuck("%s is not set", name);
    return value;
}

// MARK: In user-mode Linux

// In a user namespace with one user the host's root is nobody, and a setuid program would run as nobody.
static unsigned long flags_of_root(void)
{
    struct stat status;
    return stat("/", &status) == 0 && status.st_uid == geteuid() ? 0 : MS_NOSUID;
}

static void mount_host_files(void)
{
    if (mount("host", host, "hostfs", MS_RDONLY, "/") < 0)
        stuck("cannot mount the host's files");
}

// By way of all files of the host: an option with its path could not have a comma.
static void mount_shared_files(const char *path)
{
    const char *all = path_of("%s/run/lab/shared", root);
    make_folder(all, 0755);
    if (mount("shared", all, "hostfs", 0, "/") < 0 ||
        mount(path_of("%s%s", all, path), path_of("%s%s", root, path), NULL, MS_BIND, NULL) < 0 || umount(all) < 0)
        stuck("cannot mount %s", path);
}

// For a run that is the same each time. Programs see what is mounted, so the path must not be longer in one run than in
// another: it is a link in the job's folder.
static void mount_shared_link(const char *link, const char *target)
{
    make_folder(path_of("%s%s", root, target), 0755);
    if (mount("shared", path_of("%s%s", root, target), "hostfs", 0, link) < 0)
        stuck("cannot mount %s", link);
}

// UML does not see what came over a line before it was opened until more comes: so all are opened here and kept open.
static void open_lines(const char *names)
{
    int lines[maximum_ports], count = 0;
    char *all = strdup(names), *rest = all;
    for (char *name; (name = strsep(&rest, ",")) != NULL && count < maximum_ports; count++) {
        struct termios settings;
        lines[count] = open(path_of("%s/dev/ttyS%d", root, count), O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (lines[count] < 0 || tcgetattr(lines[count], &settings) < 0)
            stuck("no serial line %d", count);
        cfmakeraw(&settings); // what goes over it is no text
        tcsetattr(lines[count], TCSANOW, &settings);
        make_link(path_of("../ttyS%d", count), path_of("%s/dev/virtio-ports/lab.%s", root, name));
    }
    free(all);
    pid_t keeper = fork();
    for (; keeper == 0;)
        pause();
    for (int line = 0; line < count; line++)
        close(lines[line]);
}

// A machine that came with the lab has a busybox for what the host has no program for.
static void install_busybox(const char *machine)
{
    static const char folder[] = "/run/lab/busybox";
    make_folder(folder, 0755);
    const char *program = path_of("%s/bin/busybox", machine);
    pid_t process = fork();
    if (process == 0) {
        execl(program, program, "--install", "-s", folder, (char *)NULL);
        _exit(1);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) < 0 || status != 0)
        warn("cannot install %s", program);
}

// MARK: In a virtual machine

// The way to bluetooth_lab/machine/session.py.
static int open_control(void)
{
    for (int tries = 0; tries < maximum_tries; tries++, usleep(10000)) {
        DIR *folder = opendir("/sys/class/virtio-ports");
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            char *name = content_of(path_of("/sys/class/virtio-ports/%s/name", entry->d_name));
            bool is_control = name != NULL && strcmp(name, "lab.control\n") == 0;
            free(name);
            if (!is_control)
                continue;
            int port = open(path_of("/dev/%s", entry->d_name), O_RDWR | O_CLOEXEC);
            closedir(folder);
            return port;
        }
        if (folder != NULL)
            closedir(folder);
    }
    errno = 0;
    stuck("no port lab.control");
}

// The machine may be saved here, and others of its kind restored from it: nothing is mounted that belongs to one run.
// Until here time is spent once, from here on at each start. They need another time than the saved one. Gives the
// job's folder.
static char *receive_job(void)
{
    static const char waiting[] = "waiting\n";
    char line[2 * PATH_MAX + 32];
    size_t length = 0;
    int port = open_control();
    if (write(port, waiting, sizeof waiting - 1) < 0)
        stuck("cannot ask for a job");
    while (length < sizeof line - 1 && read(port, line + length, 1) == 1 && line[length] != '\n')
        length++;
    line[length] = 0;
    close(port);
    long long now = 0;
    char *job = calloc(1, length / 2 + 1), *end = strchr(line, ' ');
    errno = 0;
    if (job == NULL || end == NULL || sscanf(end, "%lld", &now) != 1)
        stuck("no job has come");
    for (char *digits = line, *to = job; digits + 1 < end; digits += 2, to++) {
        unsigned byte = 0;
        sscanf(digits, "%2x", &byte);
        *to = (char)byte;
    }
    settimeofday(&(struct timeval){.tv_sec = (time_t)now}, NULL);
    return job;
}

// The 9p shares have the tags that virtme gives them.
#define SHARE "trans=virtio,version=9p2000.L,access=any,msize=512000"

static void mount_host_share(void)
{
    if (mount("/dev/root", host, "9p", MS_RDONLY, "cache=loose," SHARE) < 0)
        stuck("cannot mount the host's files");
}

// No cache for writing: in Linux 6.12 it loses small writes, and a capture had holes. Linux 6.1 has no readahead.
static void mount_shared_share(const char *path)
{
    const char *target = path_of("%s%s", root, path);
    if (mount("virtme.initmount0", target, "9p", 0, "cache=readahead," SHARE) < 0 &&
        mount("virtme.initmount0", target, "9p", 0, "cache=none," SHARE) < 0)
        stuck("cannot mount %s", path);
}

// The host's modules are not those of the machine's kernel.
static void link_modules(const char *modules)
{
    struct stat status;
    bool is_link = lstat(path_of("%s/lib", host), &status) == 0 && S_ISLNK(status.st_mode);
    const char *folder = path_of("%s/%slib/modules", upper, is_link ? "usr/" : "");
    make_folder(folder, 0755);
    make_link(modules, path_of("%s/%s", folder, basename(modules)));
}

static void link_ports(void)
{
    DIR *folder = opendir(path_of("%s/sys/class/virtio-ports", root));
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *name = content_of(path_of("%s/sys/class/virtio-ports/%s/name", root, entry->d_name));
        if (name != NULL) {
            name[strcspn(name, "\n")] = 0;
            make_link(path_of("../%s", entry->d_name), path_of("%s/dev/virtio-ports/%s", root, name));
        }
        free(name);
    }
    if (folder != NULL)
        closedir(folder);
}

// MARK: The root

static void make_root(unsigned long flags)
{
    make_folder(root, 0755);
    const char *options = path_of("xino=off,lowerdir=%s,upperdir=%s,workdir=/run/lab/work", host, upper);
    if (mount("root", root, "overlay", flags, options) < 0)
        stuck("cannot put an overlay on the host's files");
    static const char *const folders[] = {"tmp", "run", "proc", "sys", "dev"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = path_of("%s/%s", root, folders[i]);
        if (!exists(folder))
            make_folder(folder, 0755);
        if (i > 0 && mount(path_of("/%s", folders[i]), folder, NULL, MS_MOVE, NULL) < 0)
            stuck("cannot move /%s", folders[i]);
    }
    // The host's pairings are hidden.
    mount_one("tmpfs", path_of("%s/var/lib/bluetooth", root), "mode=700");
}

// As switch_root does, which also removes the initramfs' files, one after the other.
static _Noreturn void enter_root(char *job)
{
    int nothing = open(path_of("%s/dev/null", root), O_RDONLY);
    if (nothing > STDIN_FILENO) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    if (chdir(root) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
        stuck("cannot enter the root");
    const char *program = path_of("%s/init", job);
    execl(program, program, job, (char *)NULL);
    stuck("cannot run %s", program);
}

int main(void)
{
    char *job = getenv("LAB_JOB");
    bool is_uml = job != NULL;
    umask(022);
    make_files();
    fill_upper();
    if (is_uml)
        mount_host_files();
    else {
        job = receive_job();
        mount_host_share();
    }
    // In user-mode Linux the root is the host's already.
    take_variables(path_of("%s%s/boot", host, job));
    if (!is_uml)
        link_modules(variable("LAB_MODULES"));
    else if (getenv("LAB_PREBUILT") != NULL)
        install_busybox(getenv("LAB_PREBUILT"));
    hide_passwords();
    make_root(is_uml ? flags_of_root() : 0);
    const char *shared = variable("LAB_SHARED"), *target = getenv("LAB_SHARED_AT");
    if (target != NULL)
        mount_shared_link(shared, target);
    else {
        make_folder(path_of("%s%s", root, shared), 0755);
        (is_uml ? mount_shared_files : mount_shared_share)(shared);
    }
    if (is_uml)
        open_lines(variable("LAB_PORTS"));
    else
        link_ports();
    setenv("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", 1);
    enter_root(job);
}
