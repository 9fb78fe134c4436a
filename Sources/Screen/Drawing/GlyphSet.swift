/// The signs that the chrome is drawn with.
public struct GlyphSet: Equatable, Sendable {
  /// The six characters of a box.
  public struct Box: Equatable, Sendable {
    public var topLeft: Character
    public var topRight: Character
    public var bottomLeft: Character
    public var bottomRight: Character
    public var horizontal: Character
    public var vertical: Character
  }

  public var isASCII: Bool
  public var box: Box
  /// The box of the selected tile: heavier, so that it stands out without colour.
  public var selectedBox: Box
  /// Level bars from silent to loud.
  public var levels: [Character]
  /// A column of a curve from empty to full.
  public var curve: [Character]
  public var selectionMark: Character
  public var pinMark: Character
  public var dot: Character
  public var hollowDot: Character
  public var note: Character
  public var cross: Character
  public var separator: Character
  public var ellipsis: Character
  public var times: Character
  /// Stands for a character that nobody may see.
  public var mask: Character

  /// Box drawing, blocks and signs that common monospaced fonts have.
  public static let unicode = GlyphSet(
    isASCII: false,
    box: Box(topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", horizontal: "─", vertical: "│"),
    selectedBox: Box(topLeft: "┏", topRight: "┓", bottomLeft: "┗", bottomRight: "┛", horizontal: "━", vertical: "┃"),
    levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇"], curve: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    selectionMark: "▌", pinMark: "◆", dot: "●", hollowDot: "○", note: "♪",
    cross: "×", separator: "·", ellipsis: "…", times: "×", mask: "•")

  /// For terminals and fonts without any of these.
  public static let ascii = GlyphSet(
    isASCII: true,
    box: Box(topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-", vertical: "|"),
    selectedBox: Box(topLeft: "#", topRight: "#", bottomLeft: "#", bottomRight: "#", horizontal: "=", vertical: "#"),
    levels: [".", ".", ":", ":", "|", "|", "|"], curve: [" ", ".", ":", "|"], selectionMark: ">", pinMark: "^",
    dot: "*", hollowDot: "o", note: "~",
    cross: "x", separator: "|", ellipsis: "~", times: "x", mask: "*")
}
