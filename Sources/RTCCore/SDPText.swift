/// Cutting protocol text at ASCII bytes. Characters are of no use here: a space or line feed with a combining mark
/// behind it, which a stranger may send, is not equal to the plain one.
extension Substring {
  /// What stands before and after the first `byte`; nil when there is none.
  func cut(at byte: Unicode.Scalar) -> (before: Substring, after: Substring)? {
    guard let index = utf8.firstIndex(of: UInt8(ascii: byte)) else { return nil }
    return (self[..<index], self[utf8.index(after: index)...])
  }

  /// The parts between `byte`s, without empty ones.
  func parts(between byte: Unicode.Scalar) -> [Substring] {
    utf8.split(separator: UInt8(ascii: byte)).map { Substring($0) }
  }

  var words: [Substring] { parts(between: " ") }

  /// Without spaces at both ends.
  var trimmed: Substring {
    let space = UInt8(ascii: " ")
    guard let first = utf8.firstIndex(where: { $0 != space }), let last = utf8.lastIndex(where: { $0 != space })
    else { return self[endIndex...] }
    return self[first...last]
  }

  /// A decimal number of digits only, nil when it is something else or does not fit.
  func number<T: FixedWidthInteger>(_: T.Type = T.self) -> T? {
    guard utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return T(self)
  }
}

extension StringProtocol {
  /// Visible ASCII without a space, 1…256 bytes.
  var isToken: Bool { (1...256).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
