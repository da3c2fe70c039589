// The agent of the lab's guest: what its parts share. main.c says what it is.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { lab_failed = 125, not_executable = 126, not_found = 127 };

// MARK: Bytes (buffer.c)

// Where bytes wait for a descriptor that does not take them yet.
struct buffer {
    char *bytes;
    size_t begin, end, capacity;
};

size_t length_of(const struct buffer *buffer);
void append(struct buffer *buffer, const void *bytes, size_t length);
void clear(struct buffer *buffer);
// Writes what the descriptor takes; false after an error.
bool flush(struct buffer *buffer, int descriptor);
void close_one(int *descriptor);
bool write_text(const char *file, const char *text);

// MARK: Sessions

enum state {
    // Nothing runs; the host may be there or not.
    idle,
    running,
    // The command has ended, and its last output is on its way.
    finishing,
};

// A port, and the command that runs for it.
struct session {
    int number, port;
    bool is_connected;
    enum state state;
    struct buffer received, sent, input;
    // The command's; -1 when closed. A terminal is both input and output.
    int in, out, err;
    bool has_terminal, ends_input, kills_leftovers;
    pid_t child;
    int status;
    int64_t deadline; // of the state, in milliseconds; 0: none
    long notes; // what was in the file before
    int kernel_log; // since the command began; or -1
    bool keeps_crashes; // the command has ended, and what keeps the core files runs instead
    char *out_folder;
};

int64_t now(void); // in milliseconds

// MARK: To the host (reports.c)

void send_frame(struct session *session, char kind, const void *content, size_t length);
void send_text(struct session *session, char kind, const char *format, ...);
long length_of_notes(void);
// The command has ended with the session's status: sends that, and what the kernel has reported meanwhile. Keeps the
// end of the kernel's log if there is such a report, or the command has failed.
void send_end(struct session *session);
// It says what has been varied.
extern bool keeps_whole_kernel_log;

// MARK: Commands (command.c)

// Starts the command of a frame; its end is reported if that cannot be done.
void start_command(struct session *session, char *content, size_t length);
void signal_command(const struct session *session, int number);
void child_ended(struct session *session, int status);
// Ends all that the command has left behind.
void kill_leftovers(const struct session *session);
