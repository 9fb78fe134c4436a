/// How well one role is told apart from what it is written on.
public struct RoleContrast: Hashable, Sendable, CustomStringConvertible {
  public let role: ThemeRole
  /// The ground, as a theme calls it.
  public let ground: String
  /// See ``Contrast/ratio(_:_:)``.
  public let ratio: Double
  /// What WCAG 2.2 asks for.
  public var least: Double { role.isLine ? 3 : 4.5 }

  public var description: String {
    let tenths = Int(ratio * 10)
    return """
      \(role.rawValue) on \(ground) has a contrast of \(tenths / 10).\(tenths % 10) to 1; \
      \(role.isLine ? "lines need 3" : "text needs 4.5")
      """
  }
}

extension Theme {
  /// Every role on every ground on which it is written, where both colours are known.
  ///
  /// - Parameter shown: 0xRRGGBB of a colour as the terminal shows it; nil where only the terminal knows.
  public func contrasts(as shown: (CellColor) -> UInt32?) -> [RoleContrast] {
    ThemeRole.allCases.flatMap { role in
      let own = [(role.rawValue, self[role].background)]
      let isPlaceholder = role.rawValue.hasPrefix(ThemeRole.placeholder.rawValue)
      let grounds =
        isPlaceholder
        ? placeholderGrounds.enumerated().map { ("placeholder \($0.offset + 1)", $0.element) }
        : own + role.grounds.map { ($0.rawValue, self[$0].background) }
      return grounds.compactMap { ground, background -> RoleContrast? in
        guard let front = shown(self[role].foreground), let back = shown(background) else { return nil }
        return RoleContrast(role: role, ground: ground, ratio: Contrast.ratio(front, back))
      }
    }
  }
}
