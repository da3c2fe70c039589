// The kernel's log, and what it reports when something is wrong with the kernel itself.
#pragma once

// Starts at the log's end; -1 where it cannot be read.
int open_kernel_log(void);

// Calls `take` for each report in what has come since the last call: with the line that says what is wrong, and with
// the report's lines, bounded.
void take_reports(int log, void (*take)(const char *headline, const char *text, void *context), void *context);

// Prints the reports in what the standard input has of the log, an empty line between them; returns the exit status.
int print_reports(void);
