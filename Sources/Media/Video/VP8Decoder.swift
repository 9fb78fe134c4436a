internal import CVPX
internal import CYUV
import RTCCore

/// Why a frame gave no picture.
public enum DecodeFailure: Error, Equatable, Sendable {
  /// The stream has to begin again with a key frame.
  case awaitingKeyFrame
  /// The bytes break the format.
  case undecodable
  /// The key frame announces more pixels than ``VP8Decoder/maximumPixels``.
  case pictureTooLarge(width: Int, height: Int)

  public var dropReason: DropReason { self == .awaitingKeyFrame ? .awaitingKeyFrame : .undecodable }
}

/// Turns VP8 frames into pictures (RFC 6386). One owner, one thread at a time; any bytes are safe to give.
public final class VP8Decoder {
  /// A header of ten bytes could ask for 800 MB; 4096x2304 is more than a terminal can show.
  public static let maximumPixels = 4096 * 2304

  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private let pool: I420Pool
  private var hasKeyFrame = false

  public init(pool: I420Pool = I420Pool()) throws(MediaError) {
    let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    var config = vpx_codec_dec_cfg_t(threads: 1, w: 0, h: 0)
    guard confab_vp8_decoder_init(context, &config) == VPX_CODEC_OK else {
      context.deallocate()
      throw MediaError(.codecFailed, "The VP8 decoder could not be started: the system is out of memory.")
    }
    self.context = context
    self.pool = pool
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
  }

  /// The picture of one whole frame; nil when the frame is one that is decoded but not shown.
  ///
  /// After a failure every frame is refused with ``DecodeFailure/awaitingKeyFrame`` until a key frame comes, as
  /// pictures built on a missing one would be smeared.
  public func decode(_ frame: EncodedFrame) throws(DecodeFailure) -> I420Buffer? {
    try decode(frame.payload)
  }

  /// As ``decode(_:)-(EncodedFrame)``, from the bare payload.
  public func decode(_ payload: [UInt8]) throws(DecodeFailure) -> I420Buffer? {
    guard let header = try? VP8FrameHeader(parsing: payload) else {
      hasKeyFrame = false
      throw .undecodable
    }
    if let size = header.size {
      guard size.width * size.height <= Self.maximumPixels else {
        hasKeyFrame = false
        throw .pictureTooLarge(width: size.width, height: size.height)
      }
      hasKeyFrame = true
    } else if !hasKeyFrame {
      throw .awaitingKeyFrame
    }
    guard vpx_codec_decode(context, payload, UInt32(payload.count), nil, 0) == VPX_CODEC_OK else {
      hasKeyFrame = false
      drain()
      throw .undecodable
    }
    var iterator: vpx_codec_iter_t?
    guard let image = vpx_codec_get_frame(context, &iterator) else { return nil }
    guard confab_vp8_is_corrupted(context) == 0, image.pointee.fmt == VPX_IMG_FMT_I420 else {
      hasKeyFrame = false
      throw .undecodable
    }
    return copy(image.pointee)
  }

  private func copy(_ image: vpx_image_t) -> I420Buffer? {
    let width = Int(image.d_w)
    let height = Int(image.d_h)
    guard I420Layout.sides.contains(width), I420Layout.sides.contains(height) else { return nil }
    let picture = MutableI420(width: width, height: height, pool: pool)
    I420Copy(
      image.planes.0, image.stride.0, image.planes.1, image.stride.1, image.planes.2, image.stride.2,
      picture.pointer(to: .y), picture.stride(of: .y), picture.pointer(to: .u), picture.stride(of: .u),
      picture.pointer(to: .v), picture.stride(of: .v), Int32(width), Int32(height))
    return picture.finish()
  }

  private func drain() {
    var iterator: vpx_codec_iter_t?
    while vpx_codec_get_frame(context, &iterator) != nil {}
  }
}
