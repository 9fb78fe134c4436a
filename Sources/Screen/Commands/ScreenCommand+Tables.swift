import Conference

extension ScreenCommand {
  /// What is seen.
  static let viewing: [ScreenCommand] = [
    ScreenCommand("select", [.tile(or: ["next", "previous", "first", "last"], isOptional: false)], "select a tile") {
      state, values throws(CommandProblem) in
      switch values[0].lowercased() {
      case "next": return state.perform(.selectNext)
      case "previous": return state.perform(.selectPrevious)
      case "first": return state.perform(.selectFirst)
      case "last": return state.perform(.selectLast)
      default:
        state.selected = try state.tile(named: values[0])
        return []
      }
    },
    ScreenCommand(
      "layer", [.word(["low", "medium", "high", "auto"]), .tile(or: ["all"])], "which layer is asked for",
      like: .layer(.auto)
    ) { state, values throws(CommandProblem) in
      state.choose(LayerID(rawValue: values[0]).map { .fixed($0) } ?? .auto, for: try state.target(values.dropFirst()))
      return []
    },
    ScreenCommand("video", [.word(["on", "off"]), .tile(or: ["all"])], "receive video or not") {
      state, values throws(CommandProblem) in
      state.setVideoOff(values[0] == "off", for: try state.target(values.dropFirst()))
      return []
    },
    ScreenCommand("zoom", [.tile(or: ["out"])], "show one tile alone") { state, values throws(CommandProblem) in
      if values.first?.lowercased() == "out" {
        state.isZoomed = false
        return []
      }
      if let name = values.first { state.selected = try state.tile(named: name) }
      state.isZoomed = state.selected != nil
      return []
    },
    ScreenCommand("pin", [.tile()], "pin a tile to the front") { state, values throws(CommandProblem) in
      state.setPinned(true, try state.singleTarget(values.first))
      return []
    },
    ScreenCommand("unpin", [.tile()], "put a pinned tile back") { state, values throws(CommandProblem) in
      state.setPinned(false, try state.singleTarget(values.first))
      return []
    },
    ScreenCommand("theme", [.choice("NAME", of: { $0.themes })], "the colours of the screen") { state, values in
      state.choose(theme: values[0])
    },
    ScreenCommand("page", [.text("next|previous|NUMBER")], "turn pages") { state, values throws(CommandProblem) in
      switch values[0].lowercased() {
      case "next": return state.perform(.nextPage)
      case "previous": return state.perform(.previousPage)
      default:
        guard let number = Int(values[0]), (1...state.layout.positions).contains(number) else {
          let last = state.layout.positions
          throw CommandProblem(
            "There is no page \(values[0]); there \(last == 1 ? "is only one" : "are \(last)").")
        }
        state.go(to: number - 1)
        return []
      }
    },
    ScreenCommand("layout", [.word(Arrangement.allCases.map(\.rawValue))], "how tiles share the screen") {
      state, values in
      if let arrangement = Arrangement(rawValue: values[0]) { state.choose(arrangement) }
      return []
    },
    ScreenCommand("self", [.word(["shown", "hidden"])], "your own tile", like: .hideSelf) { state, values in
      state.setSelfHidden(values[0] == "hidden")
      return []
    },
    ScreenCommand(
      "without-video", [.word(WithoutVideo.allCases.map(\.rawValue))], "where people without video stand",
      like: .withoutVideo
    ) { state, values in
      if let treatment = WithoutVideo(rawValue: values[0]) { state.choose(treatment) }
      return []
    },
  ]

  /// What is heard.
  static let hearing: [ScreenCommand] = [
    ScreenCommand("mute", [.tile(or: ["all"])], "stop hearing somebody", like: .mute) {
      state, values throws(CommandProblem) in
      try state.setMuted(true, for: state.target(values[...]))
    },
    ScreenCommand("unmute", [.tile(or: ["all"])], "hear somebody again", like: .mute) {
      state, values throws(CommandProblem) in
      try state.setMuted(false, for: state.target(values[...]))
    },
    ScreenCommand("hear", [.word(["room", "rooms"])], "one room of several, or all", like: .hearAllRooms) {
      state, values in
      state.setHearsAllRooms(values[0] == "rooms")
      return []
    },
    ScreenCommand("volume", [.text("0-100"), .tile(or: ["all"])], "how loud somebody is heard", like: .volume(10)) {
      state, values throws(CommandProblem) in
      guard let volume = Int(values[0]), (0...100).contains(volume) else {
        throw CommandProblem("The volume is a number from 0 to 100, not \(values[0]).")
      }
      return try state.setVolume(volume, for: state.target(values.dropFirst()))
    },
  ]

  /// Everything else.
  static let general: [ScreenCommand] = [
    ScreenCommand("keys", [.word(["one", "all"])], "keys act on the selected tile, or on all") { state, values in
      state.setTargetsAll(values[0] == "all")
      return []
    },
    ScreenCommand("snapshot", [.text("FILE", isOptional: true)], "the tile's picture to a PNG file") { state, values in
      state.snapshot(to: values.first)
    },
    ScreenCommand("inspect", "figures of the selected tile", .inspect),
    ScreenCommand("events", "history of events", .events),
    ScreenCommand("help", "the keys", .help),
    ScreenCommand("quit", "as q does", .leave),
  ]

  /// A command that does what a key does.
  private init(_ name: String, _ help: String, _ key: KeyCommand) {
    self.init(name, [], help) { state, _ in state.perform(key) }
  }
}
