// What goes over a port: this and its content (bluetooth_lab/machine/frames.py).
#pragma once
#include <stdint.h>

enum { maximum_content = 1 << 20 };

struct __attribute__((packed)) header {
    char kind;
    uint32_t length; // the highest byte first
};
