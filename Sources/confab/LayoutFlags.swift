import Foundation
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
    Flag(
      "--without-video", "W",
      "people who send no video stand \(WithoutVideo.allCases.map(\.rawValue).joined(separator: ", ")) (in-place)",
      setting: .choice(of: WithoutVideo.self)),
    Flag("--pinned", "NAMES", "people to the front, by name or identity, with commas between", setting: .text),
  ]

  /// The view that the flags ask for.
  static func view(_ options: Options) throws(UsageError) -> ViewOptions {
    var view = ViewOptions()
    view.arrangement = try options.choice("--layout", of: Arrangement.self) ?? view.arrangement
    view.inset = try options.number("--inset", in: 0...20) ?? view.inset
    view.hidesSelf = options.has("--hide-self")
    view.withoutVideo = try options.choice("--without-video", of: WithoutVideo.self) ?? view.withoutVideo
    view.pins = (options.text("--pinned") ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    view.hasMotion = !options.has("--no-motion")
    return view
  }
}
