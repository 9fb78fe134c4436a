#pragma once
// Without _GNU_SOURCE: it renames members of types that the toolchain's own C module has already seen.
#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// Declared by the C library only under _GNU_SOURCE or _XOPEN_SOURCE.
int memfd_create(const char *name, unsigned flags);
int wcwidth(wchar_t character);
int pthread_setname_np(pthread_t thread, const char *name);
