/// What a part of the screen is, as far as its colours go. A role without colours of its own takes those of the role
/// before its last dot.
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

  /// The role that this one falls back to.
  var parent: ThemeRole? {
    guard let dot = rawValue.lastIndex(of: ".") else { return self == .screen ? nil : .screen }
    return ThemeRole(rawValue: String(rawValue[..<dot])) ?? .screen
  }
}

/// Colours and attributes of every role, and the grounds of placeholder tiles.
public struct Theme: Equatable, Sendable {
  public var name: String
  /// Dark grounds that placeholder tiles are told apart by, 0xRRGGBB; never empty.
  public var placeholderGrounds: [UInt32]
  /// What lies around a picture that does not fill its tile, 0xRRGGBB.
  public var letterbox: UInt32
  private var styles: [ThemeRole: CellStyle]

  public init(name: String, placeholderGrounds: [UInt32], letterbox: UInt32, styles: [ThemeRole: CellStyle]) {
    self.name = name
    self.placeholderGrounds = placeholderGrounds.isEmpty ? [letterbox] : placeholderGrounds
    self.letterbox = letterbox
    self.styles = styles
    for role in ThemeRole.allCases where styles[role] == nil {
      var ancestor = role.parent
      while let next = ancestor, styles[next] == nil { ancestor = next.parent }
      self.styles[role] = ancestor.flatMap { styles[$0] } ?? CellStyle()
    }
  }

  public subscript(role: ThemeRole) -> CellStyle { styles[role] ?? CellStyle() }

  /// The default: a calm night blue, one accent for what is selected and one for who speaks.
  public static let night: Theme = {
    let ground: UInt32 = 0x0F131A
    let bar: UInt32 = 0x171D27
    let text: UInt32 = 0xC9D3E0
    let bright: UInt32 = 0xF1F5FA
    let quiet: UInt32 = 0x7F8DA1
    let faint: UInt32 = 0x3B4656
    let blue: UInt32 = 0x7CB7FF
    let green: UInt32 = 0x7BDBA5
    let amber: UInt32 = 0xF2BE6B
    func style(_ foreground: UInt32, _ background: UInt32 = ground, _ attributes: CellAttributes = []) -> CellStyle {
      CellStyle(foreground: CellColor(foreground), background: CellColor(background), attributes: attributes)
    }
    return Theme(
      name: "night", placeholderGrounds: [0x1B2433, 0x1D2A2E, 0x28222F, 0x2C2526, 0x222B22, 0x1E2338],
      letterbox: 0x080A0E,
      styles: [
        .screen: style(text),
        .title: style(quiet, bar), .titleProgram: style(blue, bar, .bold), .titleRoom: style(bright, bar, .bold),
        .titleGood: style(green, bar), .titleWarning: style(amber, bar, .bold),
        .tile: style(text), .tileBorder: style(faint), .tileBorderSelected: style(blue, ground, .bold),
        .tileBorderSpeaking: style(green, ground, .bold),
        .tileName: style(text), .tileNameSelected: style(bright, ground, .bold),
        .tileNameSpeaking: style(green, ground, .bold),
        .tilePlate: style(text, bar), .tilePlateSelected: style(bright, 0x2A3F5C),
        .tilePlateSpeaking: style(text, 0x1F3A31),
        .tileDetail: style(quiet), .tileWarning: style(amber), .tilePin: style(amber), .tileLevel: style(green),
        .placeholder: style(quiet, 0x1B2433), .placeholderInitials: style(0xA9B8CC, 0x1B2433, .bold),
        .placeholderReason: style(0x8B99AD, 0x1B2433),
        .event: style(quiet), .eventRecent: style(bright), .eventOld: style(0x66748A),
        .status: style(quiet, bar), .statusKey: style(text, bar, .bold), .statusState: style(text, bar),
        .help: style(text, 0x1B222E), .helpBorder: style(blue, 0x1B222E), .helpTitle: style(bright, 0x1B222E, .bold),
        .helpKey: style(amber, 0x1B222E, .bold),
        .panel: style(text, 0x141A23), .panelBorder: style(0x7F8DA1, 0x141A23),
        .panelTitle: style(bright, 0x141A23, .bold), .panelQuiet: style(quiet, 0x141A23),
        .panelAccent: style(blue, 0x141A23), .panelGood: style(green, 0x141A23), .panelWarning: style(amber, 0x141A23),
        .command: style(bright, 0x1B222E), .commandPrompt: style(blue, 0x1B222E, .bold),
        .commandHint: style(quiet, 0x1B222E), .commandCursor: style(bright, 0x1B222E, .reverse),
        .commandProblem: style(amber, 0x1B222E),
        .toast: style(bright, 0x2A2F1F), .toastBorder: style(amber, 0x2A2F1F),
      ])
  }()
}
