internal import CVPX
import RTCCore

/// Turns pictures of one size into VP8 for a live conference: no look-ahead, constant rate, no key frames except the
/// first and those asked for. One owner, one thread at a time.
public final class VP8Encoder {
  public struct Configuration: Equatable, Sendable {
    public var width: Int
    public var height: Int
    /// Bits a second, from 10 000 up.
    public var bitrate: Int
    /// Pictures a second that the rate control plans for, 1…120.
    public var framesPerSecond: Int
    /// libvpx' `cpu-used`, -16…16. Further from zero is faster and less sharp; negative values do not adapt to the
    /// machine, so the same pictures give the same bytes everywhere.
    public var speed: Int

    public init(width: Int, height: Int, bitrate: Int, framesPerSecond: Int = 30, speed: Int = -8) {
      self.width = width
      self.height = height
      self.bitrate = bitrate
      self.framesPerSecond = framesPerSecond
      self.speed = speed
    }
  }

  public let configuration: Configuration
  private let clock: @Sendable () -> MonotonicTime
  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private var settings: vpx_codec_enc_cfg_t
  private var wantsKeyFrame = true
  private var lastTimestamp: RTPTimestamp?
  /// 90 kHz ticks since the first picture; the wire's 32 bits wrap, the encoder's time must not.
  private var presentation: Int64 = 0

  /// - Parameters:
  ///   - configuration: size, rate and speed.
  ///   - clock: says when a frame was finished.
  public init(
    _ configuration: Configuration, clock: @escaping @Sendable () -> MonotonicTime
  ) throws(MediaError) {
    guard I420Layout.sides.contains(configuration.width), I420Layout.sides.contains(configuration.height),
      configuration.bitrate >= 10_000, (1...120).contains(configuration.framesPerSecond),
      (-16...16).contains(configuration.speed)
    else {
      throw MediaError(
        .invalidConfiguration,
        "VP8 cannot be encoded at \(configuration.width)x\(configuration.height), \(configuration.bitrate) bit/s, "
          + "\(configuration.framesPerSecond) fps: sides are 1…16383 pixels, the bit rate at least 10000, fps 1…120.")
    }
    var settings = vpx_codec_enc_cfg_t()
    guard vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0) == VPX_CODEC_OK else {
      throw MediaError(.codecFailed, "libvpx was built without its VP8 encoder. Install Debian's libvpx7.")
    }
    settings.g_w = UInt32(configuration.width)
    settings.g_h = UInt32(configuration.height)
    settings.g_threads = 1
    settings.g_timebase = vpx_rational(num: 1, den: Int32(ClockRate.video))
    settings.g_error_resilient = UInt32(VPX_ERROR_RESILIENT_DEFAULT)
    settings.g_lag_in_frames = 0
    settings.g_pass = VPX_RC_ONE_PASS
    settings.rc_end_usage = VPX_CBR
    settings.rc_target_bitrate = UInt32(configuration.bitrate / 1000)
    settings.rc_dropframe_thresh = 0
    settings.rc_resize_allowed = 0
    settings.rc_min_quantizer = 2
    settings.rc_max_quantizer = 56
    settings.rc_undershoot_pct = 100
    settings.rc_overshoot_pct = 15
    settings.rc_buf_sz = 1000
    settings.rc_buf_initial_sz = 500
    settings.rc_buf_optimal_sz = 600
    settings.kf_mode = VPX_KF_DISABLED

    let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    guard confab_vp8_encoder_init(context, &settings) == VPX_CODEC_OK else {
      context.deallocate()
      throw MediaError(
        .codecFailed,
        "The VP8 encoder refused \(configuration.width)x\(configuration.height). Try a smaller picture.")
    }
    _ = confab_vp8_set_cpu_used(context, Int32(configuration.speed))
    _ = confab_vp8_set_static_threshold(context, 1)
    // A key frame may take half the buffer at most, counted in percent of one frame's share.
    _ = confab_vp8_set_max_intra_bitrate(context, UInt32(max(300, configuration.framesPerSecond * 30)))
    self.context = context
    self.settings = settings
    self.configuration = configuration
    self.clock = clock
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
  }

  /// The next picture becomes a key frame.
  public func forceKeyFrame() { wantsKeyFrame = true }

  /// Changes the rate from the next picture on; bits a second, raised to 10 000 if lower.
  public func setBitrate(_ bitrate: Int) {
    settings.rc_target_bitrate = UInt32(max(10_000, min(bitrate, 100_000_000)) / 1000)
    _ = vpx_codec_enc_config_set(context, &settings)
  }

  /// One picture to one frame. `timestamp` counts 90 kHz ticks and should grow from call to call.
  ///
  /// Throws ``MediaError/Code/invalidConfiguration`` when the picture has another size than configured, and
  /// ``MediaError/Code/codecFailed`` when libvpx gives up.
  public func encode(
    _ picture: I420Buffer, timestamp: RTPTimestamp, capturedAt: MonotonicTime
  ) throws(MediaError) -> EncodedFrame {
    guard picture.width == configuration.width, picture.height == configuration.height else {
      throw MediaError(
        .invalidConfiguration,
        "A picture of \(picture.width)x\(picture.height) was given to an encoder of "
          + "\(configuration.width)x\(configuration.height). Scale it first.")
    }
    let nominal = ClockRate.video / configuration.framesPerSecond
    if let lastTimestamp {
      let step = timestamp.distance(from: lastTimestamp)
      presentation += Int64(step > 0 ? step : nominal)
    }
    lastTimestamp = timestamp

    var image = vpx_image_t()
    image.fmt = VPX_IMG_FMT_I420
    image.w = UInt32(picture.width)
    image.h = UInt32(picture.height)
    image.d_w = image.w
    image.d_h = image.h
    image.bps = 12
    image.x_chroma_shift = 1
    image.y_chroma_shift = 1
    image.planes.0 = UnsafeMutablePointer(mutating: picture.pointer(to: .y))
    image.planes.1 = UnsafeMutablePointer(mutating: picture.pointer(to: .u))
    image.planes.2 = UnsafeMutablePointer(mutating: picture.pointer(to: .v))
    image.stride = (picture.stride(of: .y), picture.stride(of: .u), picture.stride(of: .v), 0)

    let flags = wantsKeyFrame ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : 0
    let status = withExtendedLifetime(picture) {
      vpx_codec_encode(context, &image, presentation, UInt(nominal), flags, UInt(VPX_DL_REALTIME))
    }
    var payload: [UInt8] = []
    var isKeyFrame = false
    var iterator: vpx_codec_iter_t?
    while status == VPX_CODEC_OK, let packet = vpx_codec_get_cx_data(context, &iterator) {
      guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT, let bytes = confab_vpx_packet_bytes(packet) else { continue }
      payload.append(contentsOf: UnsafeBufferPointer(start: bytes, count: confab_vpx_packet_size(packet)))
      isKeyFrame = confab_vpx_packet_is_key(packet) != 0
    }
    guard !payload.isEmpty else {
      throw MediaError(.codecFailed, "The VP8 encoder gave no frame. Stop and publish the video again.")
    }
    wantsKeyFrame = false
    return EncodedFrame(
      isKeyFrame: isKeyFrame, timestamp: timestamp, payload: payload, startedAt: capturedAt, completedAt: clock())
  }
}
