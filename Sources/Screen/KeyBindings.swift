import Conference

/// What a key makes the screen do.
public enum KeyCommand: Hashable, Sendable {
  public enum Direction: Hashable, Sendable { case left, right, up, down }

  case move(Direction)
  case selectNext, selectPrevious, selectFirst, selectLast
  case layer(LayerChoice)
  case toggleTarget, zoom, pin, video, mute, muteAll, hearAllRooms
  case nextLayout, hideSelf, withoutVideo
  /// Percent to add.
  case volume(Int)
  case nextPage, previousPage
  /// Themes to go on by.
  case theme(Int)
  case help, events, inspect, commandLine, snapshot, close, leave
}

extension KeyCommand {
  /// It can do something there: files have one layer, no sound and nobody who could be without video.
  func applies(to subject: Subject) -> Bool {
    switch (subject, self) {
    case (.files, .layer), (.files, .mute), (.files, .muteAll), (.files, .volume), (.files, .hideSelf),
      (.files, .withoutVideo):
      false
    case (.files, .hearAllRooms), (.room, .hearAllRooms): false
    default: true
    }
  }
}

/// Which layer a tile asks for.
public enum LayerChoice: Hashable, Sendable {
  /// The smallest that serves the tile's size.
  case auto
  case fixed(LayerID)
}

/// One line of the key table, which dispatches keys, makes the help and gives the hints of the status line.
public struct KeyBinding: Hashable, Sendable {
  public var keys: [Key]
  /// What the help says; nil for a key that the line before it tells along.
  public var entry: Entry?
  public var command: KeyCommand
  /// Short form in the status line; those without are only in the help.
  public var hint: Hint?

  /// A line of the help.
  public struct Entry: Hashable, Sendable {
    /// The keys as the help names them.
    public var label: String
    public var help: String
  }

  public struct Hint: Hashable, Sendable {
    public var label: String
    public var text: String
    /// Hints stand by rank, and the last of them are left out where room is short.
    public var rank: Int

    init(label: String, text: String, rank: Int = 50) {
      self.label = label
      self.text = text
      self.rank = rank
    }
  }

  init(_ keys: [Key], _ label: String, _ help: String, _ command: KeyCommand, hint: Hint? = nil) {
    self.keys = keys
    entry = Entry(label: label, help: help)
    self.command = command
    self.hint = hint
  }

  /// A key that the help line of the binding before it tells along.
  init(_ keys: [Key], _ command: KeyCommand) {
    self.keys = keys
    self.command = command
  }

  /// Keys that belong together under one heading of the help.
  public struct Group: Hashable, Sendable {
    public var title: String
    public var bindings: [KeyBinding]
  }

  /// Every key, in the order of the help.
  public static let groups: [Group] = [
    Group(
      title: "Moving",
      bindings: [
        KeyBinding([.left], "Arrows", "select the neighbour", .move(.left)),
        KeyBinding([.right], .move(.right)),
        KeyBinding([.up], .move(.up)),
        KeyBinding([.down], .move(.down)),
        KeyBinding(
          [.tab], "Tab", "next tile (Shift: back)", .selectNext,
          hint: Hint(label: "Tab", text: "select", rank: 13)),
        KeyBinding([.backTab], .selectPrevious),
        KeyBinding([.home], "Home End", "first tile, last tile", .selectFirst),
        KeyBinding([.end], .selectLast),
        KeyBinding([.pageDown], "PgDn PgUp", "next page, page before", .nextPage),
        KeyBinding([.pageUp], .previousPage),
        KeyBinding([], "Mouse", "select; twice: zoom", .zoom),
      ]),
    Group(
      title: "Layers",
      bindings: [
        KeyBinding(
          [.character("1")], "1 2 3", "layer low, medium, high", .layer(.fixed(.low)),
          hint: Hint(label: "1 2 3 a", text: "layer", rank: 5)),
        KeyBinding([.character("2")], .layer(.fixed(.medium))),
        KeyBinding([.character("3")], .layer(.fixed(.high))),
        KeyBinding([.character("a")], "a", "layer by tile size", .layer(.auto)),
        KeyBinding([.character("v")], "v", "video off, on", .video, hint: Hint(label: "v", text: "video", rank: 11)),
      ]),
    Group(
      title: "Sound",
      bindings: [
        KeyBinding([.character("m")], "m", "mute, unmute", .mute, hint: Hint(label: "m", text: "mute", rank: 6)),
        KeyBinding([.character("M")], "M", "mute, unmute everyone", .muteAll),
        KeyBinding(
          [.character("r")], "r", "hear one room, or all", .hearAllRooms,
          hint: Hint(label: "r", text: "rooms", rank: 6)),
        KeyBinding(
          [.character("+"), .character("=")], "+ -", "louder, softer", .volume(10),
          hint: Hint(label: "+ -", text: "volume", rank: 12)),
        KeyBinding([.character("-"), .character("_")], .volume(-10)),
      ]),
    Group(
      title: "View",
      bindings: [
        KeyBinding([.enter], "Enter", "zoom in and out", .zoom, hint: Hint(label: "Enter", text: "zoom", rank: 3)),
        KeyBinding(
          [.character("l")], "l", "next layout", .nextLayout, hint: Hint(label: "l", text: "layout", rank: 4)),
        KeyBinding([.character("p")], "p", "pin to the front", .pin, hint: Hint(label: "p", text: "pin", rank: 7)),
        KeyBinding([.character("h")], "h", "hide, show yourself", .hideSelf),
        KeyBinding([.character("n")], "n", "people without video", .withoutVideo),
        KeyBinding(
          [.character("A")], "A", "keys act on one or all", .toggleTarget,
          hint: Hint(label: "A", text: "all", rank: 14)),
        KeyBinding([.character("t")], "t", "next theme (T: back)", .theme(1)),
        KeyBinding([.character("T")], .theme(-1)),
      ]),
    Group(
      title: "More",
      bindings: [
        KeyBinding(
          [.character("i")], "i", "figures of the tile", .inspect,
          hint: Hint(label: "i", text: "inspect", rank: 8)),
        KeyBinding(
          [.character("e")], "e", "history of events", .events, hint: Hint(label: "e", text: "events", rank: 10)),
        KeyBinding(
          [.character(":")], ":", "type a command", .commandLine, hint: Hint(label: ":", text: "command", rank: 9)),
        KeyBinding(
          [.character("s")], "s", "picture to a PNG file", .snapshot, hint: Hint(label: "s", text: "snapshot", rank: 15)
        ),
        KeyBinding(
          [.character("?"), .function(1)], "?", "this help", .help, hint: Hint(label: "?", text: "help", rank: 1)),
        KeyBinding([.escape], "Esc", "close, zoom out", .close),
        KeyBinding(
          [.character("q"), .control("c")], "q", "quit", .leave,
          hint: Hint(label: "q", text: "quit", rank: 2)),
      ]),
  ]

  /// Those that can do something for what is shown.
  static func groups(for subject: Subject) -> [Group] {
    groups.compactMap { group in
      let bindings = group.bindings.filter { $0.command.applies(to: subject) }
      return bindings.isEmpty ? nil : Group(title: group.title, bindings: bindings)
    }
  }

  public static let all: [KeyBinding] = groups.flatMap(\.bindings)
  /// Those with a short form for the status line, the most important first.
  static let hinted: [KeyBinding] = all.filter { $0.hint != nil }.sorted { $0.hint?.rank ?? 0 < $1.hint?.rank ?? 0 }

  private static let commands: [Key: KeyCommand] = all.reduce(into: [:]) { table, binding in
    for key in binding.keys { table[key] = binding.command }
  }

  /// What a key does; nil for a key without meaning.
  public static func command(for key: Key) -> KeyCommand? { commands[key] }
}
