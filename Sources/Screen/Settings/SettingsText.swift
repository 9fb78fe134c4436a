/// The lines of a file of settings: `key = value`, in groups that begin with `[name]`. Lines that begin with `#` are
/// comments. This is GLib's key-file form without its languages and escapes, except that keys may also stand before the
/// first group.
///
/// The file may be anybody's: sizes are bounded, and whatever cannot be read is a problem with its line, never a trap.
public struct SettingsText: Sendable {
  public struct Entry: Hashable, Sendable {
    /// Empty before the first group.
    public var group: String
    public var key: String
    /// Without white space at its ends; may be empty.
    public var value: String
    /// From 1.
    public var line: Int
  }

  public private(set) var entries: [Entry] = []
  /// The groups in the order of the file, with the lines that begin them.
  public private(set) var groups: [(name: String, line: Int)] = []
  public private(set) var problems: [SettingsProblem] = []

  /// Bytes of a file; the longest theme that makes sense has a tenth of this.
  public static let sizeLimit = 65_536
  /// Bytes of a line.
  static let lineLimit = 1_024
  /// After so many mistakes the rest of a file is not looked at: it is something else.
  public static let problemLimit = 50

  private struct Place: Hashable {
    let group: String
    let key: String
  }
  private var lines: [Place: Int] = [:]

  public init(_ bytes: [UInt8]) {
    guard bytes.count <= Self.sizeLimit else {
      problems = [
        SettingsProblem(.tooLarge, line: 0, "The file has more than \(Self.sizeLimit / 1_024) KiB, which is too large.")
      ]
      return
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard problems.count < Self.problemLimit else { break }
      do throws(SettingsProblem) { try read(line, number: index + 1) } catch { problems.append(error) }
    }
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) throws(SettingsProblem) {
    guard bytes.count <= Self.lineLimit else {
      throw SettingsProblem(.tooLarge, line: number, "The line has more than \(Self.lineLimit) bytes.")
    }
    let trimmed = Self.trimmed(bytes)
    guard let first = trimmed.first, first != UInt8(ascii: "#") else { return }
    guard trimmed.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
      let text = String(validating: trimmed, as: UTF8.self)
    else { throw SettingsProblem(.notText, line: number, "The line is not plain text in UTF-8.") }
    if first == UInt8(ascii: "[") { return try beginGroup(text, number) }
    guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")) else {
      throw SettingsProblem(
        .noAssignment, line: number, "\(SettingsProblem.quoted(text)) is not of the form key = value.")
    }
    let key = String(decoding: Self.trimmed(trimmed[..<equals]), as: UTF8.self)
    let value = String(decoding: Self.trimmed(trimmed[trimmed.index(after: equals)...]), as: UTF8.self)
    guard !key.isEmpty else { throw SettingsProblem(.noAssignment, line: number, "There is no key before the “=”.") }
    let place = Place(group: groups.last?.name ?? "", key: key)
    if let before = lines[place] {
      throw SettingsProblem(
        .repeatedKey, line: number, "\(SettingsProblem.quoted(key)) is set in line \(before) already.")
    }
    lines[place] = number
    entries.append(Entry(group: place.group, key: key, value: value, line: number))
  }

  private mutating func beginGroup(_ text: String, _ number: Int) throws(SettingsProblem) {
    let name = text.dropFirst().prefix { $0 != "]" }
    guard !name.isEmpty, text.count == name.count + 2 else {
      throw SettingsProblem(.badGroup, line: number, "\(SettingsProblem.quoted(text)) is not of the form [group].")
    }
    groups.append((String(name), number))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return bytes[first...last]
  }
}
