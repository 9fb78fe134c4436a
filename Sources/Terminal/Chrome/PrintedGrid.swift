public import Screen

/// A drawn screen as lines that are printed like any other output, each with its colours.
public enum PrintedGrid {
  /// One line for each row, without a line feed; colours are reset at the ends. Video cells are spaces.
  public static func lines(_ grid: CellGrid, depth: ColorDepth) -> [String] {
    let isDirect = depth == .trueColor
    let colors = ChromeColors(isDirect: isDirect, depth: depth, paletteSize: depth.colors, pairLimit: 0)
    return (0..<grid.rows).map { row in
      var line = ""
      var style: CellStyle?
      for column in 0..<grid.columns {
        let cell = grid[column, row]
        guard cell.width > 0 else { continue }
        if cell.style != style {
          style = cell.style
          line += escape(cell.style, colors)
        }
        line.append(cell.plane == .video ? " " : cell.glyph)
      }
      return line + "\u{1B}[0m"
    }
  }

  /// Select graphic rendition (ECMA-48 §8.3.117) for a style, whatever was selected before.
  private static func escape(_ style: CellStyle, _ colors: ChromeColors) -> String {
    var codes = ["0"]
    if style.attributes.contains(.bold) { codes.append("1") }
    if style.attributes.contains(.dim) { codes.append("2") }
    if style.attributes.contains(.underline) { codes.append("4") }
    if style.attributes.contains(.reverse) { codes.append("7") }
    codes += code(colors.index(of: style.foreground), base: 30, colors)
    codes += code(colors.index(of: style.background), base: 40, colors)
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }

  private static func code(_ index: Int32, base: Int32, _ colors: ChromeColors) -> [String] {
    switch index {
    case ..<0: []
    case ..<8: ["\(base + index)"]
    case ..<16: ["\(base + 60 + index - 8)"]
    case _ where colors.isDirect: ["\(base + 8);2;\(index >> 16 & 255);\(index >> 8 & 255);\(index & 255)"]
    default: ["\(base + 8);5;\(index)"]
    }
  }
}
