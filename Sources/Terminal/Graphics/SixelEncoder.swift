internal import RTCCore
internal import Screen

/// Pictures as sixels: bands of six lines, one after another in each colour that occurs in them.
///
/// The colours are a cube that is the same for every picture, with an ordered pattern between its steps: no picture
/// has to be looked at twice, nothing flickers from frame to frame, and pictures beside one another share the
/// terminal's registers. Pixels of cells that chrome lies on are not drawn.
struct SixelEncoder {
  private let cell: PixelDensity
  /// Largest piece, in cells, that the terminal draws whole.
  private let pieceColumns: Int
  private let pieceRows: Int
  /// Steps of each channel.
  private let levels: Int
  /// Step of a channel for each place of the 8x8 pattern and each value, 64 x 256.
  private let steps: [UInt8]
  /// Per colour, the six pixels of each column in the band at hand, one bit a line.
  private var masks: [UInt8] = []
  /// Per colour, the columns of the band it is used up to.
  private var ends: [Int]
  private var isDefined: [Bool]

  /// nil for another format. Eight colour registers are taken for granted.
  init?(_ format: GraphicsFormat) {
    guard case .sixel(let cell, let colors, let largest) = format else { return nil }
    self.cell = cell
    pieceColumns = max(1, (largest?.width ?? .max) / cell.columns)
    pieceRows = max(1, (largest?.height ?? .max) / cell.rows)
    // Percent, in which sixels give colours, has whole numbers for 2, 3, 5 and 6 steps.
    levels = [6, 5, 3].first { $0 * $0 * $0 <= colors } ?? 2
    steps = Self.steps(levels: levels)
    ends = Array(repeating: 0, count: levels * levels * levels)
    isDefined = Array(repeating: false, count: ends.count)
  }

  /// Shows a picture over the cells of `area`. The cursor ends anywhere.
  mutating func show(_ picture: RGBPicture, over area: CellRect, holes: CellHoles, into buffer: inout ByteBuffer) {
    guard picture.width > 0, picture.height > 0 else { return }
    for row in stride(from: 0, to: area.rows, by: pieceRows) {
      for column in stride(from: 0, to: area.columns, by: pieceColumns) {
        let piece = CellRect(
          column: column, row: row, columns: min(pieceColumns, area.columns - column),
          rows: min(pieceRows, area.rows - row))
        buffer.appendMove(column: area.column + column, row: area.row + row)
        show(piece, of: picture, over: area, holes: holes, into: &buffer)
      }
    }
  }

  /// `piece` is counted from the area's top left.
  private mutating func show(
    _ piece: CellRect, of picture: RGBPicture, over area: CellRect, holes: CellHoles, into buffer: inout ByteBuffer
  ) {
    let width = piece.columns * cell.columns
    let height = piece.rows * cell.rows
    for color in isDefined.indices { isDefined[color] = false }
    if masks.count < ends.count * width { masks = Array(repeating: 0, count: ends.count * width) }
    // What is not drawn stays as it is (1); square pixels; the size.
    buffer.append("\u{1B}P0;1q\"1;1;")
    buffer.append(decimal: width)
    buffer.append(UInt8(ascii: ";"))
    buffer.append(decimal: height)
    // Where each column comes from, if the picture is not as large as its area for once.
    let sources = (0..<width).map { x in
      min(picture.width - 1, (piece.column * cell.columns + x) * picture.width / (area.columns * cell.columns))
    }
    for top in stride(from: 0, to: height, by: 6) {
      for line in 0..<min(6, height - top) {
        let y = piece.row * cell.rows + top + line
        let source = min(picture.height - 1, y * picture.height / (area.rows * cell.rows)) * picture.width
        collect(line: line, y: y, from: source, sources: sources, of: picture, piece: piece, holes: holes)
      }
      writeBand(width: width, into: &buffer)
    }
    buffer.append("\u{1B}\\")
  }

  /// Adds a line of pixels to the band's masks.
  private mutating func collect(
    line: Int, y: Int, from source: Int, sources: [Int], of picture: RGBPicture, piece: CellRect, holes: CellHoles
  ) {
    let width = sources.count
    let bit = UInt8(1) << UInt8(line)
    let pattern = (y & 7) * 8
    let levels = levels
    picture.pixels.withUnsafeBufferPointer { pixels in
      steps.withUnsafeBufferPointer { steps in
        masks.withUnsafeMutableBufferPointer { masks in
          for x in 0..<width {
            if !holes.isEmpty, holes.contains(column: piece.column + x / cell.columns, row: y / cell.rows) { continue }
            let pixel = Int(pixels[source + sources[x]])
            let place = (pattern + (x & 7)) * 256
            let red = Int(steps[place + (pixel >> 16 & 255)])
            let green = Int(steps[place + (pixel >> 8 & 255)])
            let color = (red * levels + green) * levels + Int(steps[place + (pixel & 255)])
            masks[color * width + x] |= bit
            if ends[color] <= x { ends[color] = x + 1 }
          }
        }
      }
    }
  }

  /// Writes the band colour by colour and empties the masks.
  private mutating func writeBand(width: Int, into buffer: inout ByteBuffer) {
    for color in ends.indices where ends[color] > 0 {
      select(color, into: &buffer)
      let end = ends[color]
      masks.withUnsafeMutableBufferPointer { masks in
        let row = UnsafeMutableBufferPointer(rebasing: masks[(color * width)..<(color * width + end)])
        Self.writeRuns(row, into: &buffer)
        row.update(repeating: 0)
      }
      ends[color] = 0
      // Back to the left for the next colour.
      buffer.append(UInt8(ascii: "$"))
    }
    buffer.append(UInt8(ascii: "-"))
  }

  private mutating func select(_ color: Int, into buffer: inout ByteBuffer) {
    if !isDefined[color] {
      isDefined[color] = true
      buffer.append(UInt8(ascii: "#"))
      buffer.append(decimal: color)
      buffer.append(";2")
      for step in [color / (levels * levels), color / levels % levels, color % levels] {
        buffer.append(UInt8(ascii: ";"))
        buffer.append(decimal: step * 100 / (levels - 1))
      }
    }
    // To define a colour does not select it in xterm.
    buffer.append(UInt8(ascii: "#"))
    buffer.append(decimal: color)
  }

  private static func writeRuns(_ row: UnsafeMutableBufferPointer<UInt8>, into buffer: inout ByteBuffer) {
    var start = 0
    while start < row.count {
      var end = start + 1
      while end < row.count, row[end] == row[start] { end += 1 }
      let character = row[start] + UInt8(ascii: "?")
      // A repeat takes three characters at least.
      if end - start > 3 {
        buffer.append(UInt8(ascii: "!"))
        buffer.append(decimal: end - start)
        buffer.append(character)
      } else {
        for _ in start..<end { buffer.append(character) }
      }
      start = end
    }
  }

  private static func steps(levels: Int) -> [UInt8] {
    var steps: [UInt8] = []
    steps.reserveCapacity(64 * 256)
    for place in 0..<64 {
      let threshold = threshold(x: place & 7, y: place >> 3)
      // Of a step's 255 parts, as many as the pattern says carry a value to the next one.
      for value in 0..<256 { steps.append(UInt8((value * (levels - 1) * 64 + threshold * 255 + 127) / (255 * 64))) }
    }
    return steps
  }

  /// Bayer's 8x8 pattern, 0…63: the bits of x ^ y and y, the lowest first.
  private static func threshold(x: Int, y: Int) -> Int {
    var value = 0
    for bit in 0..<3 {
      value = value << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1
    }
    return value
  }
}
