internal import CLinux
internal import Glibc
internal import Screen

/// Finds in what ncurses sent which cells it wrote: over those lies no video any more.
///
/// ncurses does not only write what changed. It goes over short runs of cells that are as they were, which to it are
/// those that stand for video, where that is cheaper than moving its cursor. With a ``ScreenEntry`` its bytes are text,
/// attributes and places of the cursor, and so easily understood.
enum WrittenCells {
  /// Runs of cells on one row each. nil when there is anything else in the bytes, so that any cell may have changed.
  ///
  /// - Parameters:
  ///   - bytes: of one update, with the cursor at the top left before it.
  ///   - isUTF8: text beyond ASCII is UTF-8; false has none.
  static func runs(in bytes: [UInt8], columns: Int, rows: Int, isUTF8: Bool) -> [CellRect]? {
    var scan = Scan(rest: bytes[...], isUTF8: isUTF8)
    while let byte = scan.rest.first {
      guard byte == 0x1B ? scan.takeSequence() : scan.takeText(),
        scan.row < rows, scan.column <= columns
      else { return nil }
    }
    return scan.runs
  }

  private struct Scan {
    var rest: ArraySlice<UInt8>
    let isUTF8: Bool
    var (row, column) = (0, 0)
    var runs: [CellRect] = []

    init(rest: ArraySlice<UInt8>, isUTF8: Bool) {
      self.rest = rest
      self.isUTF8 = isUTF8
    }

    /// False for one that is not known.
    mutating func takeSequence() -> Bool {
      rest.removeFirst()
      switch rest.popFirst() {
      case UInt8(ascii: "["): return takeControl()
      // A set of characters is chosen, ASCII in what resets attributes.
      case UInt8(ascii: "("), UInt8(ascii: ")"): return rest.popFirst() != nil
      default: return false
      }
    }

    private mutating func takeControl() -> Bool {
      let parameters = rest.prefix { (0x30...0x3F).contains($0) }
      rest = rest.dropFirst(parameters.count)
      switch rest.popFirst() {
      case UInt8(ascii: "m"): return true
      // The cursor is shown or hidden.
      case UInt8(ascii: "h"), UInt8(ascii: "l"): return parameters.first == UInt8(ascii: "?")
      case UInt8(ascii: "H"):
        let numbers = String(decoding: parameters, as: UTF8.self).split(separator: ";").map { Int($0) }
        guard numbers.count <= 2, !numbers.contains(nil) else { return false }
        let places = numbers.compactMap(\.self).map { max(0, $0 - 1) }
        (row, column) = (places.first ?? 0, places.count == 2 ? places[1] : 0)
        return true
      default: return false
      }
    }

    mutating func takeText() -> Bool {
      guard let byte = rest.first else { return false }
      switch byte {
      // Pauses for slow terminals, and back to ASCII.
      case 0, 0x0F:
        rest.removeFirst()
        return true
      case 0x20...0x7E:
        rest.removeFirst()
        write(1)
        return true
      case 0x80...:
        var decoder = UTF8()
        var bytes = rest.prefix(4).makeIterator()
        guard isUTF8, case .scalarValue(let scalar) = decoder.decode(&bytes) else { return false }
        rest = rest.dropFirst(UTF8.width(scalar))
        let width = Int(wcwidth(wchar_t(bitPattern: scalar.value)))
        guard width >= 0 else { return false }
        if width > 0 { write(width) }
        return true
      default: return false
      }
    }

    private mutating func write(_ width: Int) {
      defer { column += width }
      if let last = runs.last, last.row == row, last.endColumn == column {
        runs[runs.count - 1].columns += width
      } else {
        runs.append(CellRect(column: column, row: row, columns: width, rows: 1))
      }
    }
  }
}
