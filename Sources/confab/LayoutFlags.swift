import Screen

/// Flags of how tiles are shown.
enum LayoutFlags {
  static let flags = [
    Flag(
      "--layout", "NAME", "grid; collection: four quarters that scroll; spotlight: who speaks is large (grid)",
      setting: .choice(of: Arrangement.self)),
    Flag("--inset", "N", "cells left free around each tile of the collection, 0 to 20 (1)", setting: .number(0...20)),
    Flag("--no-motion", nil, "tiles jump to their new places instead of moving there", setting: .truth),
  ]

  /// Those about people, who are not in files.
  static let peopleFlags = [
    Flag("--hide-self", nil, "show no tile of yourself", setting: .truth),
    Flag("--hide-no-video", nil, "show no tiles of people who send no video", setting: .truth),
  ]

  /// The view that the flags ask for.
  static func view(_ options: Options) throws(UsageError) -> ViewOptions {
    var view = ViewOptions()
    view.arrangement = try options.choice("--layout", of: Arrangement.self) ?? view.arrangement
    view.inset = try options.number("--inset", in: 0...20) ?? view.inset
    view.hidesSelf = options.has("--hide-self")
    view.withoutVideo = options.has("--hide-no-video") ? .hidden : .inPlace
    view.hasMotion = !options.has("--no-motion")
    return view
  }
}
