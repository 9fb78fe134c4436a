internal import RTCCore
internal import Screen

/// What a terminal said of itself, read from one whole control sequence.
///
/// The sequences are from xterm's ctlseqs.txt unless said otherwise. Whatever they hold comes from outside: numbers are
/// bounded, text is sanitised, and a sequence that does not fit is ``unknown``.
enum TerminalAnswer: Equatable, Sendable {
  /// XTVERSION, `DCS > | text ST`: name and version, as in `XTerm(379)` or `tmux 3.3a`.
  case name(String)
  /// DA1, `CSI ? … c`: the level and the attributes; 4 stands for sixel.
  case primaryAttributes([Int])
  /// DA2, `CSI > kind ; version ; … c`: 83 is GNU screen, 84 tmux, 41 xterm and those that follow it.
  case secondaryAttributes([Int])
  /// DECRPM, `CSI ? mode ; setting $ y`: 0 not known, 1 set, 2 reset, 3 and 4 for ever so.
  case mode(Int, setting: Int)
  /// DECRPSS for SGR, `DCS 1 $ r … m ST`: the foreground that is selected. nil: not one of 24 bits.
  case foreground(UInt32?)
  /// XTGETTCAP, `DCS 1 + r name = value ST`; has it or not.
  case capability(String, isKnown: Bool)
  /// `CSI 6 ; height ; width t`: pixels of a cell.
  case cellPixels(width: Int, height: Int)
  /// OSC 11: the background, 0xRRGGBB.
  case background(UInt32)
  /// Kitty's graphics protocol: the test picture was taken, or there is none but the protocol is known.
  case kittyGraphics(isTaken: Bool)
  /// XTSMGRAPHICS, `CSI ? item ; status ; values S`: item 1 colours, item 2 sixel's width and height.
  case sixelLimit(item: Int, values: [Int])
  /// DSR, `CSI 0 n`: all that was sent before the question has been seen.
  case ready
  /// Some other answer, or a broken one.
  case unknown

  /// Reads a whole sequence, from its Escape to its final byte or its ST or BEL.
  init(_ sequence: [UInt8]) {
    guard sequence.count >= 3, sequence[0] == 0x1B else {
      self = .unknown
      return
    }
    let isTerminated = sequence.last == 7
    let body = sequence.dropFirst(2).dropLast(isTerminated ? 1 : sequence.suffix(2) == [0x1B, 0x5C] ? 2 : 0)
    switch sequence[1] {
    case UInt8(ascii: "["): self = Self.controlSequence(body)
    case UInt8(ascii: "P"): self = Self.deviceControl(body)
    case UInt8(ascii: "]"): self = Self.operatingSystem(body)
    case UInt8(ascii: "_"): self = Self.application(body)
    default: self = .unknown
    }
  }

  private static func controlSequence(_ body: ArraySlice<UInt8>) -> TerminalAnswer {
    guard let final = body.last else { return .unknown }
    let lead = body.first.flatMap { $0 >= 0x3C && $0 <= 0x3F ? UnicodeScalar($0) : nil }
    let rest = body.dropFirst(lead == nil ? 0 : 1).dropLast()
    switch (lead, UnicodeScalar(final)) {
    case ("?", "c"): return .primaryAttributes(numbers(rest))
    case (">", "c"): return .secondaryAttributes(numbers(rest))
    case ("?", "y") where rest.last == UInt8(ascii: "$"):
      let values = numbers(rest.dropLast())
      return values.count == 2 ? .mode(values[0], setting: values[1]) : .unknown
    case ("?", "S"):
      let values = numbers(rest)
      return values.count >= 3 && values[1] == 0 ? .sixelLimit(item: values[0], values: Array(values[2...])) : .unknown
    case (nil, "t"):
      let values = numbers(rest)
      guard values.count == 3, values[0] == 6, values[1] > 0, values[2] > 0 else { return .unknown }
      return .cellPixels(width: values[2], height: values[1])
    case (nil, "n"): return numbers(rest) == [0] ? .ready : .unknown
    default: return .unknown
    }
  }

  private static func deviceControl(_ body: ArraySlice<UInt8>) -> TerminalAnswer {
    if body.starts(with: ">|".utf8) {
      let text = SanitizedText(String(decoding: body.dropFirst(2).prefix(longestName), as: UTF8.self)).description
      return text.isEmpty ? .unknown : .name(text)
    }
    if body.starts(with: "1$r".utf8), body.last == UInt8(ascii: "m") {
      return .foreground(directForeground(body.dropFirst(3).dropLast()))
    }
    guard body.count >= 3, body.dropFirst().starts(with: "+r".utf8), let status = body.first else { return .unknown }
    let name = body.dropFirst(3).prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
    guard let decoded = hexadecimalText(name) else { return .unknown }
    return .capability(decoded, isKnown: status == UInt8(ascii: "1"))
  }

  private static func operatingSystem(_ body: ArraySlice<UInt8>) -> TerminalAnswer {
    guard body.starts(with: "11;".utf8), let color = color(body.dropFirst(3)) else { return .unknown }
    return .background(color)
  }

  private static func application(_ body: ArraySlice<UInt8>) -> TerminalAnswer {
    guard body.first == UInt8(ascii: "G"), let separator = body.firstIndex(of: UInt8(ascii: ";")) else {
      return .unknown
    }
    return .kittyGraphics(isTaken: body[(separator + 1)...].elementsEqual("OK".utf8))
  }

  // MARK: Parts

  /// Longer names are cut: they are shown on one line.
  private static let longestName = 60
  /// Digits of a number, and numbers of a sequence, that are read at most.
  private static let mostDigits = 7
  private static let mostNumbers = 32

  /// The numbers between semicolons; a missing or overlong one is 0.
  static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.split(separator: UInt8(ascii: ";"), maxSplits: mostNumbers, omittingEmptySubsequences: false)
      .prefix(mostNumbers).map(number)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    guard digits.count <= mostDigits, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// The colour after `38;2;` or `38:2:` (with or without a colour space) among SGR parameters.
  private static func directForeground(_ parameters: ArraySlice<UInt8>) -> UInt32? {
    let groups = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).prefix(mostNumbers)
      .map { $0.split(separator: UInt8(ascii: ":"), maxSplits: 8, omittingEmptySubsequences: false).map(number) }
    for (index, group) in groups.enumerated() where group.first == 38 {
      // With colons all of it is one parameter; with semicolons it is the five that follow.
      let values = group.count > 1 ? group : Array(groups[index...].prefix(5).compactMap(\.first))
      guard values.count >= 5, values[1] == 2 else { return nil }
      let channels = values.suffix(values.count >= 6 ? values.count - 3 : 3).prefix(3)
      guard channels.count == 3, channels.allSatisfy({ $0 <= 255 }) else { return nil }
      return channels.reduce(0) { $0 << 8 | UInt32($1) }
    }
    return nil
  }

  /// `rgb:rr/gg/bb` with 1 to 4 digits a channel, or `#rrggbb`.
  private static func color(_ text: ArraySlice<UInt8>) -> UInt32? {
    if text.first == UInt8(ascii: "#"), text.count == 7 { return hexadecimal(text.dropFirst()) }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text.starts(with: "rgb:".utf8) || text.starts(with: "rgba:".utf8)
    else { return nil }
    let channels = text[(colon + 1)...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard channels.count == 3 || channels.count == 4 else { return nil }
    var result: UInt32 = 0
    for channel in channels.prefix(3) {
      guard let value = hexadecimal(channel) else { return nil }
      let largest = UInt32(1) << (4 * UInt32(channel.count)) - 1
      result = result << 8 | (value * 255 + largest / 2) / largest
    }
    return result
  }

  /// 1 to 6 hexadecimal digits.
  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard (1...6).contains(digits.count) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Printable ASCII, two hexadecimal digits a character.
  private static func hexadecimalText(_ digits: ArraySlice<UInt8>) -> String? {
    guard digits.count.isMultiple(of: 2), digits.count <= 64 else { return nil }
    var text = ""
    var rest = digits
    while !rest.isEmpty {
      guard let value = hexadecimal(rest.prefix(2)), (0x20...0x7E).contains(value), let scalar = UnicodeScalar(value)
      else { return nil }
      text.unicodeScalars.append(scalar)
      rest = rest.dropFirst(2)
    }
    return text
  }
}
