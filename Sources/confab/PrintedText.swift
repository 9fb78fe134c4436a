import Glibc
import Screen

/// Text for people, in lines that fit their terminal.
enum PrintedText {
  /// What is taken where standard output is no terminal.
  private static let usualColumns = 80
  /// What stands beside a head gets so much at least.
  private static let leastColumns = 16

  /// Of the terminal that standard output is.
  static var columns: Int {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return usualColumns }
    return Int(window.ws_col)
  }

  /// `text` beside `head` and below itself, broken between words and never within one.
  static func wrapped(_ text: String, beside head: String = "", to columns: Int = columns) -> String {
    let indent = head.count
    let room = max(leastColumns, columns - indent)
    var lines: [(words: String, width: Int)] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      let width = SanitizedText(String(word)).width
      if let last = lines.last, last.width + 1 + width <= room {
        lines[lines.count - 1] = (last.words + " " + word, last.width + 1 + width)
      } else {
        lines.append((String(word), width))
      }
    }
    let margin = "\n" + String(repeating: " ", count: indent)
    return head + lines.map(\.words).joined(separator: margin)
  }

  /// Two columns, the left one as wide as its widest entry needs.
  static func table(_ rows: [(head: String, text: String)], to columns: Int = columns) -> [String] {
    let width = rows.map(\.head.count).max() ?? 0
    return rows.map { row in
      let head = "  " + row.head.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
      return wrapped(row.text, beside: head, to: columns)
    }
  }
}
