internal import COgg
import RTCCore

/// Packets of an Ogg/Opus file (RFC 7845), sent without being encoded again.
public struct OggOpusSource: AudioSource {
  private let packets: [[UInt8]]
  private var position = 0
  private let loops: Bool

  /// Reads the whole file and checks that every packet states a length (RFC 6716 §3.1).
  public init(path: String, loops: Bool = false) throws(MediaError) {
    packets = try Self.packets(of: try FileBytes.read(path), path: path)
    self.loops = loops
    if packets.isEmpty { throw MediaError(.truncatedFile, "\(path) holds no sound.") }
  }

  public mutating func next() -> AudioSourceBlock? {
    if position >= packets.count {
      guard loops else { return nil }
      position = 0
    }
    defer { position += 1 }
    return .packet(packets[position], samples: OpusPacket.sampleCount(packets[position]) ?? AudioFormat.frameSamples)
  }

  static func packets(of bytes: [UInt8], path: String) throws(MediaError) -> [[UInt8]] {
    let notOpus = MediaError(
      .unsupportedFormat, "\(path) is not an Ogg/Opus file; convert it with: ffmpeg -i \(path) -c:a libopus out.ogg")
    guard bytes.starts(with: "OggS".utf8) else { throw notOpus }
    var reader = OggReader()
    reader.feed(bytes)
    let all = reader.packets()
    guard let head = all.first, head.starts(with: "OpusHead".utf8), head.count >= 19 else { throw notOpus }
    // RFC 7845 §5.1: families above 0 carry several streams in one packet, which RTP's Opus has no room for.
    guard head[18] == 0 else {
      throw MediaError(.unsupportedFormat, "\(path) has more than two channels; mix it down to stereo.")
    }
    return all.dropFirst(2).filter { OpusPacket.sampleCount($0) != nil }
  }
}

/// libogg's page and packet readers over bytes in memory.
private struct OggReader: ~Copyable {
  private var sync = ogg_sync_state()
  private var stream = ogg_stream_state()
  private var isStreamOpen = false

  init() { ogg_sync_init(&sync) }

  deinit {
    var (sync, stream) = (sync, stream)
    if isStreamOpen { ogg_stream_clear(&stream) }
    ogg_sync_clear(&sync)
  }

  mutating func feed(_ bytes: [UInt8]) {
    guard let buffer = ogg_sync_buffer(&sync, bytes.count) else { return }
    UnsafeMutableRawBufferPointer(start: buffer, count: bytes.count).copyBytes(from: bytes)
    ogg_sync_wrote(&sync, bytes.count)
  }

  /// All packets of the first logical stream.
  mutating func packets() -> [[UInt8]] {
    var result: [[UInt8]] = []
    var page = ogg_page()
    while true {
      // −1 says that bytes were skipped to find the next page; the pages after it are still good.
      let status = ogg_sync_pageout(&sync, &page)
      if status == 0 { return result }
      if status < 0 { continue }
      if !isStreamOpen {
        ogg_stream_init(&stream, ogg_page_serialno(&page))
        isStreamOpen = true
      }
      guard ogg_stream_pagein(&stream, &page) == 0 else { continue }
      var packet = ogg_packet()
      while true {
        let status = ogg_stream_packetout(&stream, &packet)
        if status == 0 { break }
        if status > 0, let start = packet.packet {
          result.append(Array(UnsafeBufferPointer(start: start, count: packet.bytes)))
        }
      }
    }
  }
}
