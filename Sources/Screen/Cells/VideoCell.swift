/// A cell of a picture: two colours, and the part of the cell that has the first of them.
///
/// Cells are compared and copied in great numbers, so all of it is packed into eight bytes.
public struct VideoCell: Hashable, Sendable {
  @usableFromInline let shapeAndFirst: UInt32
  /// 0x00RRGGBB; the colour of what ``shape`` leaves over.
  public let second: UInt32

  /// Colours are 0xRRGGBB; higher bits are dropped.
  public init(first: UInt32, second: UInt32, shape: CellShape) {
    shapeAndFirst = UInt32(shape.rawValue) << 24 | first & 0xFF_FFFF
    self.second = second & 0xFF_FFFF
  }

  /// A cell of two pixels above one another.
  public init(upper: UInt32, lower: UInt32) {
    // The shape of a half block is 0.
    shapeAndFirst = upper & 0xFF_FFFF
    second = lower & 0xFF_FFFF
  }

  /// 0x00RRGGBB.
  @inlinable public var first: UInt32 { shapeAndFirst & 0xFF_FFFF }
  @inlinable public var shape: CellShape { CellShape(rawValue: UInt8(shapeAndFirst >> 24)) }
}

/// The part of a video cell that has its first colour. What fits colours to a cell makes that the part at the top left,
/// so that equal cells are equal.
public struct CellShape: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let upperHalf = CellShape(rawValue: 0)

  /// Quarters of a cell: bit 0 top left, 1 top right, 2 bottom left, 3 bottom right.
  public static func quarters(_ mask: UInt8) -> CellShape { CellShape(rawValue: 0x40 | mask & 0x0F) }

  /// Sixths of a cell, two beside and three above one another: bit 0 top left, 1 top right, 2 middle left and so on.
  public static func sixths(_ mask: UInt8) -> CellShape { CellShape(rawValue: 0x80 | mask & 0x3F) }

  /// The twelfths of a cell that have the first colour, two beside and six above one another, counted like
  /// ``sixths(_:)``: shapes of every kind compare in them.
  public var twelfths: UInt16 {
    let mask = UInt16(rawValue & 0x3F)
    switch rawValue >> 6 {
    case 0: return 0x03F
    case 1: return (mask & 3) * 0x15 | (mask >> 2 & 3) * 0x540
    default: return (mask & 3) * 0x5 | (mask >> 2 & 3) * 0x50 | (mask >> 4 & 3) * 0x500
    }
  }
}
