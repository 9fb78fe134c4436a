/// A colour of the screen: 24 bits, or one of the terminal's own.
public struct CellColor: Hashable, Sendable {
  /// 0x00RRGGBB; 0x010000NN for colour NN of the terminal's palette; 0xFFFFFFFF for its own foreground or background.
  public let raw: UInt32

  /// `rgb` is 0xRRGGBB; higher bits are dropped.
  public init(_ rgb: UInt32) { raw = rgb & 0xFF_FFFF }
  private init(raw: UInt32) { self.raw = raw }

  /// The terminal's own foreground or background.
  public static let terminalDefault = CellColor(raw: .max)
  /// One of the sixteen colours of the terminal's palette, 0…15; higher bits are dropped.
  public static func terminal(_ index: UInt8) -> CellColor { CellColor(raw: 0x0100_0000 | UInt32(index & 15)) }

  /// 0xRRGGBB; nil for the terminal's own.
  public var rgb: UInt32? { raw <= 0xFF_FFFF ? raw : nil }
  /// 0…15 for a colour of the terminal's palette, else nil.
  public var terminalIndex: UInt8? { raw >> 24 == 1 ? UInt8(truncatingIfNeeded: raw) : nil }
}

/// How the glyph of a cell is set, besides its colours.
public struct CellAttributes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let bold = CellAttributes(rawValue: 1)
  public static let dim = CellAttributes(rawValue: 2)
  public static let underline = CellAttributes(rawValue: 4)
  public static let reverse = CellAttributes(rawValue: 8)
}

/// Colours and attributes together.
public struct CellStyle: Hashable, Sendable {
  public var foreground: CellColor
  public var background: CellColor
  public var attributes: CellAttributes

  public init(
    foreground: CellColor = .terminalDefault, background: CellColor = .terminalDefault,
    attributes: CellAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}

/// Who brings a cell to the terminal: ncurses the chrome, the video painter everything that moves, unless the terminal
/// shows pictures in its own pixels.
public enum CellPlane: UInt8, Hashable, Sendable { case chrome, video, picture }

/// One character cell of the screen.
///
/// A wide glyph stands in its left cell with width 2 and leaves a cell of width 0 to its right. The picture of a
/// cell on the video plane is in ``CellGrid/video``; its own glyph is then a placeholder that nobody paints.
public struct Cell: Equatable, Sendable {
  /// One grapheme that is safe to print: a cell never holds a control or formatting character.
  public private(set) var glyph: Character
  /// Columns: 1, 2 for a wide glyph, 0 for the right half of one.
  public private(set) var width: UInt8
  public var style: CellStyle
  public private(set) var plane: CellPlane

  private init(glyph: Character, width: UInt8, style: CellStyle, plane: CellPlane) {
    self.glyph = glyph
    self.width = width
    self.style = style
    self.plane = plane
  }

  /// A chrome cell with a glyph of one or two columns. Glyphs come from ``SanitizedText`` or from the program itself;
  /// one that would steer the terminal becomes `�` all the same.
  public init(_ glyph: Character, width: UInt8 = 1, style: CellStyle = CellStyle()) {
    let isSafe = glyph.unicodeScalars.allSatisfy(Self.isPrintable)
    self.init(glyph: isSafe ? glyph : "�", width: isSafe && width == 2 ? 2 : 1, style: style, plane: .chrome)
  }

  /// Neither a control character nor one that changes direction or takes no room.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: false
    default: true
    }
  }

  /// A space in the terminal's own colours.
  public static let blank = Cell(" ")
  /// The right half of a wide glyph.
  public static func continuation(style: CellStyle) -> Cell {
    Cell(glyph: " ", width: 0, style: style, plane: .chrome)
  }
  /// A cell that shows a part of a picture.
  public static let video = Cell(glyph: "▀", width: 1, style: CellStyle(), plane: .video)
  /// A cell under a picture of ``CellGrid/pictures``.
  public static let picture = Cell(glyph: "▒", width: 1, style: CellStyle(), plane: .picture)
}
