public import RTCCore

extension CellGrid {
  /// Sets the video cells of a rectangle to a picture in its middle: what is too large is cropped, what is left over
  /// gets the letterbox colour. Cells that chrome lies over stay as they are.
  ///
  /// - Parameter density: the picture's pixels for each cell: 1x2, 2x2 or 2x3; those of others are left out.
  public mutating func put(
    _ picture: RGBPicture, centredIn rect: CellRect, density: PixelDensity = .halves, letterbox: UInt32
  ) {
    let area = rect.intersection(bounds)
    guard !area.isEmpty, picture.width > 0, picture.height > 0 else { return }
    let columns = columns
    withVideo { cells, video in
      picture.pixels.withUnsafeBufferPointer { pixels in
        let source = PictureSampler(
          pixels: pixels, width: picture.width, height: picture.height,
          left: (rect.columns * density.columns - picture.width) / 2,
          top: (rect.rows * density.rows - picture.height) / 2, letterbox: letterbox)
        for row in area.row..<area.endRow {
          let y = (row - rect.row) * density.rows
          for column in area.column..<area.endColumn {
            let index = row * columns + column
            guard cells[index].plane == .video else { continue }
            video[index] = source.cell(x: (column - rect.column) * density.columns, y: y, density: density)
          }
        }
      }
    }
  }
}

/// A picture within an area of pixels that may be larger or smaller.
private struct PictureSampler {
  let pixels: UnsafeBufferPointer<UInt32>
  let width: Int
  let height: Int
  /// Where the picture begins in the area; negative where it is cropped.
  let left: Int
  let top: Int
  let letterbox: UInt32

  func pixel(_ x: Int, _ y: Int) -> UInt32 {
    let x = x - left
    let y = y - top
    guard x >= 0, x < width, y >= 0, y < height else { return letterbox }
    return pixels[y * width + x]
  }

  /// The cell whose first pixel is at a place of the area.
  func cell(x: Int, y: Int, density: PixelDensity) -> VideoCell {
    if density.columns == 1 { return VideoCell(upper: pixel(x, y), lower: pixel(x, y + 1)) }
    if density.rows == 2 {
      return TwoColorFit.quarters(pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1))
    }
    return TwoColorFit.sixths(
      pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1), pixel(x, y + 2), pixel(x + 1, y + 2))
  }
}
