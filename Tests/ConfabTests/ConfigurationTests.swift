import Foundation
import Testing

@testable import confab

private let flags = [
  Flag("--layout", "NAME", "", setting: .choice(["grid", "collection"])), Flag("--ascii", nil, "", setting: .truth),
  Flag("--inset", "N", "", setting: .number(0...4)), Flag("--audio-device", "D", "", setting: .text),
  Flag("--token", "T", ""), Flag("--no-motion", nil, "", setting: .truth),
]

/// A home with this configuration, and what the program makes of it.
private func configuration(_ text: String?, _ variables: [String: String] = [:]) throws -> Configuration {
  let home = FileManager.default.temporaryDirectory.appending(path: "confab-configuration-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: home) }
  if let text {
    let folder = home.appending(path: "confab")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try text.write(to: folder.appending(path: "config"), atomically: true, encoding: .utf8)
  }
  let environment = ["XDG_CONFIG_HOME": home.path].merging(variables) { $1 }
  return try Configuration(environment: environment, flags: flags)
}

private func mistakes(_ text: String, _ variables: [String: String] = [:]) throws -> String? {
  do {
    _ = try configuration(text, variables)
    return nil
  } catch let error as UsageError { return error.message }
}

@Suite struct ConfigurationTests {
  @Test func flagsWinOverTheEnvironmentAndThatOverTheFile() throws {
    let set = try configuration("layout = grid\ninset = 2\n[viewer]\nascii = yes\n", ["CONFAB_INSET": "3"])
    let options = try Options(["--layout", "collection"], flags: flags, configuration: set)
    #expect(options.text("--layout") == "collection")
    #expect(try options.number("--inset", in: 0...4) == 3)
    #expect(options.has("--ascii"))
    #expect(options.origin("--inset") == "CONFAB_INSET")
    #expect(options.origin("--ascii")?.hasPrefix("line 4 of /") == true)
    #expect(options.origin("--layout") == nil)
    #expect(options.isGiven("--layout") && !options.isGiven("--ascii"))
  }

  @Test func aSwitchThatIsSetIsTurnedOffByTheFlag() throws {
    let set = try configuration("ascii = on")
    #expect(try !Options(["--ascii=no"], flags: flags, configuration: set).has("--ascii"))
    #expect(try Options(["--ascii"], flags: flags, configuration: Configuration()).has("--ascii"))
    #expect(try !Options([], flags: flags, configuration: configuration("ascii = no")).has("--ascii"))
  }

  @Test func aFlagThatSaysNoIsAKeyThatIsNo() throws {
    #expect(try Options([], flags: flags, configuration: configuration("motion = no")).has("--no-motion"))
    #expect(try !Options([], flags: flags, configuration: configuration("motion = yes")).has("--no-motion"))
    #expect(
      try !Options(["--no-motion=no"], flags: flags, configuration: configuration("motion = no")).has("--no-motion"))
    #expect(try !Options([], flags: flags, configuration: Configuration()).has("--no-motion"))
  }

  @Test func nothingIsSetWithoutAFile() throws {
    let set = try configuration(nil)
    #expect(set.count == 0)
    #expect(set.file == nil)
  }

  @Test(arguments: [
    ("layuot = grid", "line 1: There is no key “layuot”; did you mean layout?"),
    ("\nlayout = rows", "line 2: layout takes grid, collection, not “rows”."),
    ("inset = 9", "line 1: inset takes a whole number from 0 to 4, not “9”."),
    ("ascii = maybe", "line 1: ascii takes yes or no, not “maybe”."),
    ("[screen]\nascii = yes", "line 1: There is no group [screen]; keys stand in [viewer]."),
    ("ascii = yes\n[viewer]\nascii = no", "line 3: ascii is set in line 1"),
    ("token = secret", "line 1: There is no key “token”."),
    ("ascii", "line 1: “ascii” is not of the form key = value."),
  ])
  func everyMistakeOfTheFileIsNamedWithItsLine(text: String, message: String) throws {
    #expect(try mistakes(text)?.contains(message) == true)
  }

  @Test func allMistakesAreNamedAtOnce() throws {
    let message = try mistakes("inset = 9\nascii = maybe\n")
    #expect(message?.contains("line 1:") == true && message?.contains("line 2:") == true)
  }

  @Test func aWrongVariableIsNamed() throws {
    #expect(try mistakes("", ["CONFAB_LAYOUT": "rows"]) == "CONFAB_LAYOUT takes grid, collection, not “rows”.")
  }

  @Test func theFolderFollowsTheDesktopsRules() {
    #expect(ConfigurationFolder.path(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/confab")
    #expect(ConfigurationFolder.path(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/confab")
    #expect(ConfigurationFolder.path([:]) == nil)
  }

  @Test func onlyFilesOfLimitedSizeAreRead() throws {
    #expect(throws: SmallFile.Failure.self) { try SmallFile.read("/dev/zero", limit: 100) }
    #expect(throws: SmallFile.Failure.self) { try SmallFile.read("/tmp", limit: 100) }
    #expect(throws: SmallFile.Failure.self) { try SmallFile.read(#filePath, limit: 100) }
    #expect(try SmallFile.read("/nonexistent/file", limit: 100) == nil)
    #expect(try SmallFile.read(#filePath, limit: 100_000)?.isEmpty == false)
  }
}
