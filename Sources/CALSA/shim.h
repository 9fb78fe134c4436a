#pragma once
#include <alsa/asoundlib.h>

static inline void confab_alsa_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file; (void)line; (void)function; (void)error; (void)format;
}
// libasound prints its complaints to stderr unless told otherwise, which would land in the picture.
static inline void confab_alsa_be_silent(void) { snd_lib_error_set_handler(confab_alsa_ignore); }
