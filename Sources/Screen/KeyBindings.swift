import Conference

/// What a key makes the screen do.
public enum KeyCommand: Hashable, Sendable {
  public enum Direction: Hashable, Sendable { case left, right, up, down }

  case move(Direction)
  case selectNext, selectPrevious, selectFirst, selectLast
  case layer(LayerChoice)
  case toggleTarget, zoom, pin, video, mute, muteAll
  /// Percent to add.
  case volume(Int)
  case nextPage, previousPage
  case help, close, leave
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
  /// The keys as the help names them.
  public var label: String
  public var help: String
  public var command: KeyCommand
  /// Short form in the status line; those without are only in the help.
  public var hint: Hint?

  public struct Hint: Hashable, Sendable {
    public var label: String
    public var text: String
  }

  init(_ keys: [Key], _ label: String, _ help: String, _ command: KeyCommand, hint: Hint? = nil) {
    self.keys = keys
    self.label = label
    self.help = help
    self.command = command
    self.hint = hint
  }

  /// Every key, in the order of the help. Hints stand in the same order, and the last of them are left out first.
  public static let all: [KeyBinding] = [
    KeyBinding([.character("?"), .function(1)], "?", "this help", .help, hint: Hint(label: "?", text: "help")),
    KeyBinding([.character("q"), .control("c")], "q", "leave the room", .leave, hint: Hint(label: "q", text: "quit")),
    KeyBinding([.left], "Left", "select to the left", .move(.left)),
    KeyBinding([.right], "Right", "select to the right", .move(.right)),
    KeyBinding([.up], "Up", "select above", .move(.up)),
    KeyBinding([.down], "Down", "select below", .move(.down)),
    KeyBinding([.tab], "Tab", "select the next tile", .selectNext, hint: Hint(label: "Tab", text: "select")),
    KeyBinding([.backTab], "Shift-Tab", "select the tile before", .selectPrevious),
    KeyBinding([.home], "Home", "select the first tile", .selectFirst),
    KeyBinding([.end], "End", "select the last tile", .selectLast),
    KeyBinding([.enter], "Enter", "zoom in and out", .zoom, hint: Hint(label: "Enter", text: "zoom")),
    KeyBinding(
      [.character("1")], "1", "layer low", .layer(.fixed(.low)), hint: Hint(label: "1 2 3 a", text: "layer")),
    KeyBinding([.character("2")], "2", "layer medium", .layer(.fixed(.medium))),
    KeyBinding([.character("3")], "3", "layer high", .layer(.fixed(.high))),
    KeyBinding([.character("a")], "a", "layer by tile size", .layer(.auto)),
    KeyBinding([.character("A")], "A", "keys act on one or all", .toggleTarget, hint: Hint(label: "A", text: "all")),
    KeyBinding([.character("m")], "m", "mute, unmute", .mute, hint: Hint(label: "m", text: "mute")),
    KeyBinding([.character("M")], "M", "mute, unmute everyone", .muteAll),
    KeyBinding(
      [.character("+"), .character("=")], "+", "louder", .volume(10), hint: Hint(label: "+ -", text: "volume")),
    KeyBinding([.character("-"), .character("_")], "-", "softer", .volume(-10)),
    KeyBinding([.character("v")], "v", "video off, on", .video, hint: Hint(label: "v", text: "video")),
    KeyBinding([.character("p")], "p", "pin to the front", .pin, hint: Hint(label: "p", text: "pin")),
    KeyBinding([.pageDown], "PgDn", "next page", .nextPage),
    KeyBinding([.pageUp], "PgUp", "page before", .previousPage),
    KeyBinding([.escape], "Esc", "close help, zoom out", .close),
  ]

  private static let commands: [Key: KeyCommand] = all.reduce(into: [:]) { table, binding in
    for key in binding.keys { table[key] = binding.command }
  }

  /// What a key does; nil for a key without meaning.
  public static func command(for key: Key) -> KeyCommand? { commands[key] }
}
