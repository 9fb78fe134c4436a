#pragma once
#include <vpx/vpx_decoder.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_encoder.h>
#include <vpx/vp8cx.h>

// The ABI constants and vpx_codec_control are macros that Swift does not see.
static inline vpx_codec_err_t confab_vp8_decoder_init(vpx_codec_ctx_t *context, const vpx_codec_dec_cfg_t *config) {
  return vpx_codec_dec_init_ver(context, vpx_codec_vp8_dx(), config, 0, VPX_DECODER_ABI_VERSION);
}
static inline vpx_codec_err_t confab_vp8_encoder_init(vpx_codec_ctx_t *context, const vpx_codec_enc_cfg_t *config) {
  return vpx_codec_enc_init_ver(context, vpx_codec_vp8_cx(), config, 0, VPX_ENCODER_ABI_VERSION);
}
static inline vpx_codec_err_t confab_vp8_set_cpu_used(vpx_codec_ctx_t *context, int speed) {
  return vpx_codec_control(context, VP8E_SET_CPUUSED, speed);
}
static inline vpx_codec_err_t confab_vp8_set_static_threshold(vpx_codec_ctx_t *context, unsigned int threshold) {
  return vpx_codec_control(context, VP8E_SET_STATIC_THRESHOLD, threshold);
}
static inline vpx_codec_err_t confab_vp8_set_max_intra_bitrate(vpx_codec_ctx_t *context, unsigned int percent) {
  return vpx_codec_control(context, VP8E_SET_MAX_INTRA_BITRATE_PCT, percent);
}
// Whether the last decoded picture was built on damaged data.
static inline int confab_vp8_is_corrupted(vpx_codec_ctx_t *context) {
  int corrupted = 0;
  return vpx_codec_control(context, VP8D_GET_FRAME_CORRUPTED, &corrupted) != VPX_CODEC_OK || corrupted;
}
// The union inside vpx_codec_cx_pkt_t.
static inline const uint8_t *confab_vpx_packet_bytes(const vpx_codec_cx_pkt_t *packet) {
  return (const uint8_t *)packet->data.frame.buf;
}
static inline size_t confab_vpx_packet_size(const vpx_codec_cx_pkt_t *packet) { return packet->data.frame.sz; }
static inline int confab_vpx_packet_is_key(const vpx_codec_cx_pkt_t *packet) {
  return (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
}
