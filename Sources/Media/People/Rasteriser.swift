/// Fills outlines into I420 pictures with exact area coverage at the edges. One owner, one thread at a time.
///
/// Each line adds its signed area to a buffer of differences; summed from left to right that gives every pixel's
/// coverage (the method of the font-rs rasteriser). Runs without an edge are filled eight pixels at a time.
final class Rasteriser {
  private let width: Int
  private let height: Int
  /// Floats in a row of the buffer: two more than pixels, and a whole number of eights.
  private let rowLength: Int
  /// Always zero between fills.
  private let differences: UnsafeMutablePointer<Float>

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    rowLength = (width + 2 + 7) & ~7
    differences = .allocate(capacity: rowLength * height)
    differences.initialize(repeating: 0, count: rowLength * height)
  }

  deinit { differences.deallocate() }

  /// Samples to write, and the values at the outline's top and bottom.
  private struct Plane {
    let bytes: UnsafeMutablePointer<UInt8>
    let stride: Int
    let from: Float
    let to: Float
  }

  /// Fills an outline whose points are pixels of the luma plane. The picture has the size that was given at the start.
  func fill(_ outline: Outline, _ paint: Paint, into picture: borrowing MutableI420) {
    let layout = picture.layout
    precondition(layout.width == width && layout.height == height)
    let stride: Int = picture.stride(of: .u)
    let y = Plane(
      bytes: picture.pointer(to: .y), stride: picture.stride(of: .y), from: paint.top.y, to: paint.bottom.y)
    let u = Plane(bytes: picture.pointer(to: .u), stride: stride, from: paint.top.u, to: paint.bottom.u)
    let v = Plane(bytes: picture.pointer(to: .v), stride: stride, from: paint.top.v, to: paint.bottom.v)
    if let box = trace(outline, scale: 1, width: width, height: height) {
      sweep(box, opacity: paint.opacity, y, nil)
    }
    if let box = trace(outline, scale: 0.5, width: layout.chromaWidth, height: layout.chromaHeight) {
      sweep(box, opacity: paint.opacity, u, v)
    }
  }

  private struct Box {
    let rows: Range<Int>
    let columns: Range<Int>
  }

  /// Adds all lines to the buffer and names the box that they touch.
  private func trace(_ outline: Outline, scale: Float, width: Int, height: Int) -> Box? {
    var low = Point(.infinity, .infinity)
    var high = Point(-.infinity, -.infinity)
    for contour in outline.contours {
      for point in contour {
        low = pointwiseMin(low, point * scale)
        high = pointwiseMax(high, point * scale)
      }
    }
    guard low.x.isFinite, low.y.isFinite, high.x.isFinite, high.y.isFinite, abs(low.x) < 1e6, abs(low.y) < 1e6,
      high.x < 1e6, high.y < 1e6, high.x > 0, high.y > 0, low.x < Float(width), low.y < Float(height)
    else { return nil }
    for contour in outline.contours {
      guard var from = contour.last else { continue }
      for to in contour {
        addLine(from * scale, to * scale, width: width, height: height)
        from = to
      }
    }
    let rows = max(0, Int(low.y))..<min(height, Int(high.y) + 1)
    let columns = (max(0, Int(low.x)) & ~7)..<min(width, Int(high.x) + 2)
    return rows.isEmpty || columns.isEmpty ? nil : Box(rows: rows, columns: columns)
  }

  private func addLine(_ from: Point, _ to: Point, width: Int, height: Int) {
    guard from.y != to.y else { return }
    let direction: Float = from.y < to.y ? 1 : -1
    let top = from.y < to.y ? from : to
    let bottom = from.y < to.y ? to : from
    let slope = (bottom.x - top.x) / (bottom.y - top.y)
    let firstRow = max(0, Int(top.y.rounded(.down)))
    let lastRow = min(height, Int(bottom.y.rounded(.up)))
    guard firstRow < lastRow else { return }
    var x = top.x + (max(Float(firstRow), top.y) - top.y) * slope
    let limit = Float(width)
    for row in firstRow..<lastRow {
      let share = min(Float(row + 1), bottom.y) - max(Float(row), top.y)
      let next = x + slope * share
      let left = max(0, min(min(x, next), limit))
      let right = max(0, min(max(x, next), limit))
      add(direction * share, from: left, to: right, line: differences + row * rowLength)
      x = next
    }
  }

  /// Spreads one row's share of a line that runs from `left` to `right` over the pixels that it crosses.
  @inline(__always)
  private func add(_ area: Float, from left: Float, to right: Float, line: UnsafeMutablePointer<Float>) {
    let first = Int(left)
    let end = Int(right.rounded(.up))
    guard end > first + 1 else {
      let middle = 0.5 * (left + right) - Float(first)
      line[first] += area - area * middle
      line[first + 1] += area * middle
      return
    }
    let step = 1 / (right - left)
    let leftRest = 1 - (left - Float(first))
    let firstShare = 0.5 * step * leftRest * leftRest
    let rightRest = right - Float(end - 1)
    let lastShare = 0.5 * step * rightRest * rightRest
    line[first] += area * firstShare
    if end == first + 2 {
      line[first + 1] += area * (1 - firstShare - lastShare)
    } else {
      let second = step * (leftRest + 0.5)
      line[first + 1] += area * (second - firstShare)
      for pixel in (first + 2)..<(end - 1) { line[pixel] += area * step }
      let before = second + Float(end - first - 3) * step
      line[end - 1] += area * (1 - before - lastShare)
    }
    line[end] += area * lastShare
  }

  /// Turns the differences of the box into coverage, blends, and leaves zeros behind.
  private func sweep(_ box: Box, opacity: Float, _ first: Plane, _ second: Plane?) {
    let height = Float(box.rows.count)
    for row in box.rows {
      let line = differences + row * rowLength
      let share = (Float(row - box.rows.lowerBound) + 0.5) / height
      blend(line, box.columns, first, row, share, opacity: opacity, clear: second == nil)
      if let second { blend(line, box.columns, second, row, share, opacity: opacity, clear: true) }
    }
  }

  private func blend(
    _ line: UnsafeMutablePointer<Float>, _ columns: Range<Int>, _ plane: Plane, _ row: Int, _ share: Float,
    opacity: Float, clear: Bool
  ) {
    let target = plane.bytes + row * plane.stride
    let value = plane.from + (plane.to - plane.from) * share
    let solid = UInt8(max(0, min(value + 0.5, 255)))
    let level = Int32(solid)
    var sum: Float = 0
    var x = columns.lowerBound
    while x < columns.upperBound {
      let block = UnsafeMutableRawPointer(line + x)
      let change = block.load(as: SIMD8<Float>.self)
      let isWhole = x + 8 <= columns.upperBound
      if change == SIMD8<Float>.zero, isWhole {
        let strength = min(abs(sum), 1) * opacity
        if strength > 0.996 {
          UnsafeMutableRawPointer(target + x).storeBytes(of: SIMD8<UInt8>(repeating: solid), as: SIMD8<UInt8>.self)
        } else if strength > 0.004 {
          let share = SIMD8<Int32>(repeating: Int32(strength * 256))
          let old = SIMD8<Int32>(truncatingIfNeeded: UnsafeRawPointer(target + x).loadUnaligned(as: SIMD8<UInt8>.self))
          let mixed = old &+ ((SIMD8<Int32>(repeating: level) &- old) &* share &+ 128) &>> 8
          UnsafeMutableRawPointer(target + x)
            .storeBytes(of: SIMD8<UInt8>(truncatingIfNeeded: mixed), as: SIMD8<UInt8>.self)
        }
      } else {
        for pixel in x..<min(x + 8, columns.upperBound) {
          sum += line[pixel]
          let share = Int32(min(abs(sum), 1) * opacity * 256)
          let old = Int32(target[pixel])
          target[pixel] = UInt8(truncatingIfNeeded: old &+ ((level &- old) &* share &+ 128) &>> 8)
        }
        if clear { block.storeBytes(of: .zero, as: SIMD8<Float>.self) }
      }
      x += 8
    }
    // What lies right of the last pixel.
    if clear { for rest in columns.upperBound..<min(columns.upperBound + 3, rowLength) { line[rest] = 0 } }
  }
}
