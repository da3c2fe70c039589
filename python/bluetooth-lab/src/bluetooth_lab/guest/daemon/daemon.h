// What the parts of lab-daemon have in common.
#pragma once
#include <stdbool.h>

// Whether the file that says that bluetoothd is to run does so: it has something in it.
bool is_wanted(const char *file);

// Runs bluetoothd, and runs it again if it ends by itself; `words`: the folder of its process id, the folder of logs,
// the program and its arguments. Returns when it was ended on purpose, or ends again and again.
int keep_daemon(char **words);

// Waits until bluetoothd reports controllers as powered; the exit status is 0 then. Gives up when `wanted`
// (perhaps NULL) no longer says that bluetoothd is to run.
int await_power(int first, int count, int seconds, const char *wanted);
