internal import CPNG
import Glibc
import RTCCore

/// Pictures as PNG files, through libpng's simplified interface, which reports errors instead of jumping.
public enum PNGFile {
  /// A picture as the bytes of a PNG file, 8 bits each of red, green and blue.
  public static func encode(_ picture: RGBPicture) throws(MediaError) -> [UInt8] {
    guard picture.width > 0, picture.height > 0 else {
      throw MediaError(.invalidConfiguration, "A picture without pixels makes no PNG file.")
    }
    var samples: [UInt8] = []
    samples.reserveCapacity(picture.pixels.count * 3)
    for pixel in picture.pixels {
      samples.append(UInt8(truncatingIfNeeded: pixel >> 16))
      samples.append(UInt8(truncatingIfNeeded: pixel >> 8))
      samples.append(UInt8(truncatingIfNeeded: pixel))
    }
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    image.width = png_uint_32(picture.width)
    image.height = png_uint_32(picture.height)
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
    defer { png_image_free(&image) }
    let stride = png_int_32(picture.width * 3)
    // The first call only tells how much room the second one needs.
    var count = 0
    guard png_image_write_to_memory(&image, nil, &count, 0, samples, stride, nil) != 0 else { throw failure(image) }
    var bytes = [UInt8](repeating: 0, count: count)
    guard png_image_write_to_memory(&image, &bytes, &count, 0, samples, stride, nil) != 0 else { throw failure(image) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Writes a picture to a file that must not exist yet.
  ///
  /// - Throws: ``MediaError/Code/fileExists`` if it does, ``MediaError/Code/unwritableFile`` if it cannot be written,
  ///   whatever was written of it then being removed.
  public static func write(_ picture: RGBPicture, to path: String) throws(MediaError) {
    let bytes = try encode(picture)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let reason = String(cString: strerror(errno))
      throw MediaError(errno == EEXIST ? .fileExists : .unwritableFile, "\(path) cannot be written: \(reason).")
    }
    var written = 0
    var problem: Int32 = 0
    while written < bytes.count, problem == 0 {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if errno != EINTR { problem = count < 0 ? errno : EIO }
    }
    if close(file) != 0, problem == 0 { problem = errno }
    guard problem != 0 else { return }
    unlink(path)
    throw MediaError(.unwritableFile, "\(path) cannot be written: \(String(cString: strerror(problem))).")
  }

  private static func failure(_ image: png_image) -> MediaError {
    let text = withUnsafeBytes(of: image.message) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    return MediaError(.codecFailed, "libpng refused the picture: \(text).")
  }
}
