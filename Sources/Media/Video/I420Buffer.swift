/// The sizes and strides of an I420 picture: one byte of luma a pixel, one byte each of U and V for 2x2 pixels.
///
/// Chroma planes of odd sizes are rounded up. Values are limited range BT.601, as VP8 assumes.
public struct I420Layout: Hashable, Sendable {
  public let width: Int
  public let height: Int
  public let lumaStride: Int
  public let chromaStride: Int

  /// Pixels a side that VP8 can carry (RFC 6386 §9.1: 14 bits).
  public static let sides = 1...16_383

  /// `width` and `height` must lie in ``sides``.
  public init(width: Int, height: Int) {
    precondition(Self.sides.contains(width) && Self.sides.contains(height))
    self.width = width
    self.height = height
    lumaStride = (width + 31) & ~31
    chromaStride = ((width + 1) / 2 + 31) & ~31
  }

  public var chromaWidth: Int { (width + 1) / 2 }
  public var chromaHeight: Int { (height + 1) / 2 }
  var offsetU: Int { lumaStride * height }
  var offsetV: Int { offsetU + chromaStride * chromaHeight }
  var byteCount: Int { offsetV + chromaStride * chromaHeight }
}

/// A finished picture. It never changes, so it may be read from any thread.
public final class I420Buffer: Sendable {
  public enum Plane: Sendable, CaseIterable { case y, u, v }

  public let layout: I420Layout
  private let block: I420Pool.Block
  private let pool: I420Pool

  fileprivate init(layout: I420Layout, block: I420Pool.Block, pool: I420Pool) {
    self.layout = layout
    self.block = block
    self.pool = pool
  }

  deinit { pool.give(block) }

  public var width: Int { layout.width }
  public var height: Int { layout.height }

  /// The pixel's value in a plane; chroma coordinates count in chroma samples. Coordinates must lie in the plane.
  public subscript(plane: Plane, x: Int, y: Int) -> UInt8 {
    precondition(x >= 0 && y >= 0 && x < width(of: plane) && y < height(of: plane))
    return pointer(to: plane)[y * stride(of: plane) + x]
  }

  public func width(of plane: Plane) -> Int { plane == .y ? layout.width : layout.chromaWidth }
  public func height(of plane: Plane) -> Int { plane == .y ? layout.height : layout.chromaHeight }
  func stride(of plane: Plane) -> Int32 { Int32(plane == .y ? layout.lumaStride : layout.chromaStride) }
  func stride(of plane: Plane) -> Int { plane == .y ? layout.lumaStride : layout.chromaStride }

  /// Valid as long as this object is held.
  func pointer(to plane: Plane) -> UnsafePointer<UInt8> { UnsafePointer(mutablePointer(to: plane)) }

  fileprivate func mutablePointer(to plane: Plane) -> UnsafeMutablePointer<UInt8> {
    let offset =
      switch plane {
      case .y: 0
      case .u: layout.offsetU
      case .v: layout.offsetV
      }
    return (block.base + offset).assumingMemoryBound(to: UInt8.self)
  }

  /// A picture of one colour.
  public static func filled(width: Int, height: Int, y: UInt8, u: UInt8 = 128, v: UInt8 = 128) -> I420Buffer {
    let picture = MutableI420(width: width, height: height)
    picture.pointer(to: .y).update(repeating: y, count: picture.layout.offsetU)
    picture.pointer(to: .u).update(repeating: u, count: picture.layout.chromaStride * picture.layout.chromaHeight)
    picture.pointer(to: .v).update(repeating: v, count: picture.layout.chromaStride * picture.layout.chromaHeight)
    return picture.finish()
  }
}

/// A picture being filled, with exactly one owner; ``finish()`` turns it into an ``I420Buffer`` without a copy.
public struct MutableI420: ~Copyable {
  /// Nobody else sees it before ``finish()``.
  private let buffer: I420Buffer

  /// Memory with undefined content; sides must lie in ``I420Layout/sides``.
  public init(width: Int, height: Int, pool: I420Pool = .shared) {
    let layout = I420Layout(width: width, height: height)
    buffer = I420Buffer(layout: layout, block: pool.take(byteCount: layout.byteCount), pool: pool)
  }

  public var layout: I420Layout { buffer.layout }

  public consuming func finish() -> I420Buffer { buffer }

  /// Writes one sample; chroma coordinates count in chroma samples. Coordinates must lie in the plane.
  public func set(_ plane: I420Buffer.Plane, x: Int, y: Int, to value: UInt8) {
    let width = plane == .y ? layout.width : layout.chromaWidth
    let height = plane == .y ? layout.height : layout.chromaHeight
    precondition(x >= 0 && y >= 0 && x < width && y < height)
    pointer(to: plane)[y * stride(of: plane) + x] = value
  }

  func stride(of plane: I420Buffer.Plane) -> Int { plane == .y ? layout.lumaStride : layout.chromaStride }
  func stride(of plane: I420Buffer.Plane) -> Int32 { Int32(plane == .y ? layout.lumaStride : layout.chromaStride) }
  /// Valid until ``finish()``.
  func pointer(to plane: I420Buffer.Plane) -> UnsafeMutablePointer<UInt8> {
    buffer.mutablePointer(to: plane)
  }
}
