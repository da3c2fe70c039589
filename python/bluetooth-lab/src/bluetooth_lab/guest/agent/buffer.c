// Bytes that wait, and other small things.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

void close_one(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

bool write_text(const char *file, const char *text)
{
    int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool is_written = write(descriptor, text, strlen(text)) >= 0;
    close(descriptor);
    return is_written;
}

size_t length_of(const struct buffer *buffer) { return buffer->end - buffer->begin; }

// Room for `length` more bytes at the end.
static char *room(struct buffer *buffer, size_t length)
{
    if (buffer->begin > 0) {
        memmove(buffer->bytes, buffer->bytes + buffer->begin, length_of(buffer));
        buffer->end -= buffer->begin;
        buffer->begin = 0;
    }
    if (buffer->end + length > buffer->capacity) {
        size_t capacity = buffer->end + length;
        char *bytes = realloc(buffer->bytes, capacity);
        if (bytes == NULL)
            abort();
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    return buffer->bytes + buffer->end;
}

void append(struct buffer *buffer, const void *bytes, size_t length)
{
    if (length > 0)
        memcpy(room(buffer, length), bytes, length);
    buffer->end += length;
}

void clear(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

bool flush(struct buffer *buffer, int descriptor)
{
    while (length_of(buffer) > 0) {
        ssize_t count = write(descriptor, buffer->bytes + buffer->begin, length_of(buffer));
        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        buffer->begin += (size_t)count;
    }
    return true;
}
