import Conference

/// What a part of the screen is, as far as its colours go.
///
/// In a theme a role without a line of its own looks like the role before its last dot, and those without a dot like
/// `screen`. A new role is one case here and, where it shall not look like its parent, one line in `Themes/night.theme`,
/// from which all bundled themes inherit.
public enum ThemeRole: String, Hashable, Sendable, CaseIterable {
  case screen
  case title = "title"
  case titleProgram = "title.program"
  case titleRoom = "title.room"
  case titleGood = "title.good"
  case titleWarning = "title.warning"
  case tile = "tile"
  case tileBorder = "tile.border"
  case tileBorderSelected = "tile.border.selected"
  case tileBorderSpeaking = "tile.border.speaking"
  case tileName = "tile.name"
  case tileNameSelected = "tile.name.selected"
  case tileNameSpeaking = "tile.name.speaking"
  case tilePlate = "tile.plate"
  case tilePlateSelected = "tile.plate.selected"
  case tilePlateSpeaking = "tile.plate.speaking"
  case tileDetail = "tile.detail"
  case tileWarning = "tile.warning"
  case tilePin = "tile.pin"
  /// The numbers of the rooms of a wall, in the title and on tiles; more rooms begin again with the first.
  case room1 = "room.1"
  case room2 = "room.2"
  case room3 = "room.3"
  case room4 = "room.4"
  case room5 = "room.5"
  case tileLevel = "tile.level"
  case placeholder = "placeholder"
  case placeholderInitials = "placeholder.initials"
  case placeholderReason = "placeholder.reason"
  case event = "event"
  case eventRecent = "event.recent"
  case eventOld = "event.old"
  case status = "status"
  case statusKey = "status.key"
  case statusState = "status.state"
  case help = "help"
  case helpBorder = "help.border"
  case helpTitle = "help.title"
  case helpKey = "help.key"
  case panel = "panel"
  case panelBorder = "panel.border"
  case panelTitle = "panel.title"
  /// Labels and times.
  case panelQuiet = "panel.quiet"
  /// Curves and whatever else stands out without being good or bad.
  case panelAccent = "panel.accent"
  case panelGood = "panel.good"
  case panelWarning = "panel.warning"
  case command = "command"
  case commandPrompt = "command.prompt"
  /// What a command is for, and what could be typed.
  case commandHint = "command.hint"
  /// The place in the text that the next character goes to.
  case commandCursor = "command.cursor"
  case commandProblem = "command.problem"
  case toast = "toast"
  case toastBorder = "toast.border"
  case connect = "connect"
  case connectBanner = "connect.banner"
  case connectBorder = "connect.border"
  case connectTitle = "connect.title"
  case connectLabel = "connect.label"
  case connectLabelActive = "connect.label.active"
  case connectField = "connect.field"
  case connectFieldActive = "connect.field.active"
  case connectPlaceholder = "connect.placeholder"
  case connectButton = "connect.button"
  case connectButtonActive = "connect.button.active"
  case connectState = "connect.state"
  case connectError = "connect.error"
  case connectRoom = "connect.room"
  case connectRoomSelected = "connect.room.selected"
  case connectDetail = "connect.detail"

  /// The role that this one falls back to.
  var parent: ThemeRole? {
    guard let dot = rawValue.lastIndex(of: ".") else { return self == .screen ? nil : .screen }
    return ThemeRole(rawValue: String(rawValue[..<dot])) ?? .screen
  }
}

extension ThemeRole {
  /// How the number of a room of a wall is written.
  static func room(_ key: RoomKey) -> ThemeRole {
    let roles: [ThemeRole] = [.room1, .room2, .room3, .room4, .room5]
    return roles[max(0, key.index) % roles.count]
  }

  /// Lines and marks rather than letters: WCAG 2.2 asks 3:1 for them (§1.4.11), and 4.5:1 for text (§1.4.3).
  public var isLine: Bool { rawValue.split(separator: ".").contains("border") }

  /// The roles on whose backgrounds this one is written, besides its own.
  public var grounds: [ThemeRole] {
    switch self {
    case .tileName, .tileNameSelected, .tileNameSpeaking, .tileDetail, .tileWarning, .tilePin, .tileLevel:
      [.tileBorder, .tileBorderSelected, .tileBorderSpeaking, .tilePlate, .tilePlateSelected, .tilePlateSpeaking]
    case .tileBorderSelected: [.tilePlate, .tilePlateSelected, .tilePlateSpeaking]
    case .titleWarning: [.status]
    case .connectPlaceholder: [.connectFieldActive]
    case .connectRoom: [.connectRoomSelected]
    case .connectLabel, .connectLabelActive, .connectState, .connectError, .connectDetail: [.screen]
    default: []
    }
  }
}
