#pragma once
#include <opus.h>

// opus_encoder_ctl is variadic; these are the requests that are used.
static inline int confab_opus_set_bitrate(OpusEncoder *encoder, int bits_per_second) {
  return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}
static inline int confab_opus_set_complexity(OpusEncoder *encoder, int complexity) {
  return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}
static inline int confab_opus_set_inband_fec(OpusEncoder *encoder, int enabled) {
  return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(enabled));
}
static inline int confab_opus_set_expected_loss(OpusEncoder *encoder, int percent) {
  return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}
