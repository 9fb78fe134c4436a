import Conference

/// Whom a key or a command is about.
enum Target: Equatable {
  case all
  case tile(TileID)
}

extension ScreenState {
  /// Whom keys are about, and commands that name nobody; nil while nobody is there.
  var keyTarget: Target? { targetsAll ? .all : selected.map { .tile($0) } }

  /// A tile as commands call it: its participant's name, and that it is a screen.
  func label(of tile: TileID) -> SanitizedText {
    name(of: tile.participant) + (track(of: tile)?.source == .screenShare && tile.extraTrack != nil ? " (screen)" : "")
  }

  /// Who is named by what was typed: `all`, a name, or nobody, which is whom the keys are about.
  func target(_ values: ArraySlice<String>) throws(CommandProblem) -> Target {
    if let name = values.first {
      return name.lowercased() == "all" ? .all : .tile(try tile(named: name))
    }
    guard let keyTarget else { throw CommandProblem("Nobody is selected.") }
    return keyTarget
  }

  func singleTarget(_ name: String?) throws(CommandProblem) -> TileID {
    if let name { return try tile(named: name) }
    guard let selected else { throw CommandProblem("Nobody is selected.") }
    return selected
  }

  /// The one tile of that name or identity, or whose name begins with it or holds it; capitals do not matter.
  func tile(named typed: String) throws(CommandProblem) -> TileID {
    let wanted = SanitizedText(name: typed).description.lowercased()
    let names = tiles.map { (tile: $0, name: label(of: $0).description.lowercased()) }
    let exact = names.filter {
      $0.name == wanted || ($0.tile.extraTrack == nil && $0.tile.participant.raw.lowercased() == wanted)
    }
    let matches = [exact, names.filter { $0.name.hasPrefix(wanted) }, names.filter { $0.name.contains(wanted) }]
    guard let found = matches.first(where: { !$0.isEmpty }) else {
      let nearest = Nearest.match(wanted, among: names.map(\.name)).flatMap { name in
        names.first { $0.name == name }.map { "; did you mean \(label(of: $0.tile))?" }
      }
      throw CommandProblem("Nobody here is called \(typed)\(nearest ?? ".")")
    }
    guard found.count == 1 || exact.count > 0 else {
      let list = found.prefix(3).map { label(of: $0.tile).description }.joined(separator: ", ")
      throw CommandProblem("\(typed) could be \(list)\(found.count > 3 ? " or others" : "").")
    }
    return found[0].tile
  }
}
