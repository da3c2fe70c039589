// One executable with several programs of this package, so that the Swift libraries are in it once. It acts by the name
// that it is called by.

#include <stdio.h>
#include <string.h>

// What SwiftPM names `main` of an executable target, so that tests can have the target as a library.
extern int DittojayCommand_main(int argc, char **argv);
extern int BluejayCommand_main(int argc, char **argv);
extern int RadioScenesCommand_main(int argc, char **argv);

static const struct program {
    const char *name;
    int (*main)(int argc, char **argv);
} programs[] = {
    {"dittojay", DittojayCommand_main},
    {"bluejay", BluejayCommand_main},
    {"virtual-radio-scene", RadioScenesCommand_main},
};

static const struct program *find(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t index = 0; index < sizeof programs / sizeof *programs; index++)
        if (strcmp(programs[index].name, name) == 0)
            return &programs[index];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct program *program = argc > 0 ? find(argv[0]) : NULL;
    if (program)
        return program->main(argc, argv);
    fprintf(stderr, "this program is to be called by one of these names:\n");
    for (size_t index = 0; index < sizeof programs / sizeof *programs; index++)
        fprintf(stderr, "  %s\n", programs[index].name);
    return 64;
}
