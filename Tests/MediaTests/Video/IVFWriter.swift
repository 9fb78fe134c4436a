import Glibc
import Media
import RTCCore

/// Writes VP8 frames into an IVF file, with time stamps in milliseconds. One owner, one thread at a time.
final class IVFWriter {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var frames: UInt32 = 0

  /// Creates the file, or empties it. Throws ``MediaError/Code/unreadableFile`` when it cannot be written.
  init(path: String, width: Int, height: Int) throws(MediaError) {
    guard let opened = fopen(path, "wbe") else {
      throw MediaError(
        .unreadableFile, "\(path) cannot be written: \(String(cString: strerror(errno))). Choose another folder.")
    }
    self.path = path
    file = opened
    var header = Array("DKIF".utf8)
    header += Self.littleEndian(UInt16(0)) + Self.littleEndian(UInt16(32)) + Array("VP80".utf8)
    header += Self.littleEndian(UInt16(clamping: width)) + Self.littleEndian(UInt16(clamping: height))
    header += Self.littleEndian(UInt32(1000)) + Self.littleEndian(UInt32(1))
    header += Self.littleEndian(UInt32(0)) + Self.littleEndian(UInt32(0))
    try write(header)
  }

  /// Also completes the header with the number of frames.
  deinit {
    if fseek(file, 24, SEEK_SET) == 0 { fwrite(Self.littleEndian(frames), 1, 4, file) }
    fclose(file)
  }

  /// Appends a frame that is shown `offset` after the first.
  func write(_ payload: [UInt8], offset: Duration) throws(MediaError) {
    let milliseconds = UInt64(max(0, offset.inNanoseconds / 1_000_000))
    try write(Self.littleEndian(UInt32(clamping: payload.count)) + Self.littleEndian(milliseconds))
    try write(payload)
    frames &+= 1
  }

  private func write(_ bytes: [UInt8]) throws(MediaError) {
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw MediaError(.unreadableFile, "\(path) could not be written on: is the disk full?")
    }
  }

  private static func littleEndian<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
