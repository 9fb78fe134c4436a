internal import RTCCore
internal import Screen

/// Commands of Kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), which Ghostty, WezTerm, Konsole and
/// others know too.
///
/// A picture is sent as it is and placed over cells, which the terminal stretches it to. Text and pictures are apart
/// there, so cells that chrome lies on are sent as transparent.
enum KittyGraphics {
  /// Numbers that pictures take in turn.
  static let numbers: UInt32 = 1 << 16
  /// Where the numbers begin: pictures of other programs in the same window, counted from 1, are not to be met.
  private static let firstNumber: UInt32 = 0x00C0_0000
  /// Largest payload of one command, in bytes of base64; larger ones the protocol does not allow.
  private static let pieceBytes = 4096

  /// Shows a picture over the cells of `area`. The cursor ends there.
  static func show(
    _ picture: RGBPicture, number: UInt32, over area: CellRect, holes: CellHoles, into buffer: inout ByteBuffer
  ) {
    guard picture.width > 0, picture.height > 0, !area.isEmpty else { return }
    buffer.appendMove(column: area.column, row: area.row)
    // Transmit and place; no answer (q), the cursor stays (C).
    buffer.append("\u{1B}_Ga=T,q=2,C=1,p=1,i=")
    buffer.append(decimal: Int(firstNumber + number))
    buffer.append(holes.isEmpty ? ",f=24,s=" : ",f=32,s=")
    buffer.append(decimal: picture.width)
    buffer.append(",v=")
    buffer.append(decimal: picture.height)
    buffer.append(",c=")
    buffer.append(decimal: area.columns)
    buffer.append(",r=")
    buffer.append(decimal: area.rows)
    if holes.isEmpty {
      appendOpaque(picture.pixels, into: &buffer)
    } else {
      appendWithHoles(picture, over: area, holes: holes, into: &buffer)
    }
  }

  /// Takes a picture off the screen and out of the terminal's memory.
  static func forget(number: UInt32, into buffer: inout ByteBuffer) {
    buffer.append("\u{1B}_Ga=d,d=I,q=2,i=")
    buffer.append(decimal: Int(firstNumber + number))
    buffer.append("\u{1B}\\")
  }

  /// Takes all pictures off the screen and out of the terminal's memory, also if one was cut off on its way: its string
  /// is ended, then its pieces.
  static let forgetAll = Array("\u{1B}\\\u{1B}_Gq=2,m=0;\u{1B}\\\u{1B}_Ga=d,d=A,q=2\u{1B}\\".utf8)

  /// A pixel of three bytes is four characters of base64.
  private static func appendOpaque(_ pixels: [UInt32], into buffer: inout ByteBuffer) {
    let step = pieceBytes / 4
    for start in stride(from: 0, to: pixels.count, by: step) {
      let end = min(start + step, pixels.count)
      beginPiece(isFirst: start == 0, isLast: end == pixels.count, into: &buffer)
      pixels.withUnsafeBufferPointer { pixels in
        buffer.append(count: (end - start) * 4) { bytes in
          for index in start..<end { Base64.encode(pixels[index] & 0xFF_FFFF, into: bytes + (index - start) * 4) }
        }
      }
      buffer.append("\u{1B}\\")
    }
  }

  /// Three pixels of four bytes are sixteen characters.
  private static func appendWithHoles(
    _ picture: RGBPicture, over area: CellRect, holes: CellHoles, into buffer: inout ByteBuffer
  ) {
    var bytes = [UInt8](repeating: 255, count: picture.pixels.count * 4)
    for y in 0..<picture.height {
      let row = y * area.rows / picture.height
      for x in 0..<picture.width {
        let index = y * picture.width + x
        let pixel = picture.pixels[index]
        bytes[index * 4] = UInt8(truncatingIfNeeded: pixel >> 16)
        bytes[index * 4 + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
        bytes[index * 4 + 2] = UInt8(truncatingIfNeeded: pixel)
        if holes.contains(column: x * area.columns / picture.width, row: row) { bytes[index * 4 + 3] = 0 }
      }
    }
    let step = pieceBytes / 4 * 3
    for start in stride(from: 0, to: bytes.count, by: step) {
      let end = min(start + step, bytes.count)
      beginPiece(isFirst: start == 0, isLast: end == bytes.count, into: &buffer)
      Base64.append(bytes[start..<end], to: &buffer)
      buffer.append("\u{1B}\\")
    }
  }

  private static func beginPiece(isFirst: Bool, isLast: Bool, into buffer: inout ByteBuffer) {
    buffer.append(isFirst ? "," : "\u{1B}_G")
    buffer.append(isLast ? "m=0;" : "m=1;")
  }
}
