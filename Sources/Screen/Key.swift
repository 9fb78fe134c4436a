/// One thing that a person did at the terminal.
public enum Key: Hashable, Sendable {
  /// A printable character, as typed: `A` is Shift-a.
  case character(Character)
  /// Ctrl with a letter, in lower case.
  case control(Character)
  case enter, escape, tab, backTab, backspace, delete, insert
  case up, down, left, right, pageUp, pageDown, home, end
  case function(Int)
  case mouse(MouseEvent)
  /// Text that came from the clipboard in one piece: what a stranger may have written, control characters included.
  case paste(String)
}

/// A mouse button pressed over a cell.
public struct MouseEvent: Hashable, Sendable {
  public enum Button: Hashable, Sendable { case left, middle, right, wheelUp, wheelDown }

  public var button: Button
  /// Cells from the top left, from 0.
  public var column: Int
  public var row: Int
  /// The second press of a double click.
  public var isDouble: Bool

  public init(button: Button, column: Int, row: Int, isDouble: Bool = false) {
    self.button = button
    self.column = column
    self.row = row
    self.isDouble = isDouble
  }
}
