#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <sys/prctl.h>

// Swift can't call a function with variable arguments.
static inline int clinux_set_dumpable(int is_dumpable) { return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0); }

// Returns the commit that `make dist` links in, or an empty string in every other build.
static inline const char *clinux_commit(void) {
    extern const char martlet_commit[] __attribute__((weak));
    return martlet_commit ? martlet_commit : "";
}

#endif
