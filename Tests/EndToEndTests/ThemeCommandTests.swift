import Foundation
import Testing

extension EndToEnd {
  /// Themes and the configuration, from the command line.
  @Suite struct ThemeCommandTests {
    /// A configuration folder with these files.
    private func home(_ files: [String: String]) throws -> URL {
      let home = FileManager.default.temporaryDirectory.appending(path: "confab-home-\(UUID().uuidString)")
      for (name, text) in files {
        let file = home.appending(path: "confab").appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      return home
    }

    private func confab(_ arguments: [String], _ home: URL) throws -> Subprocess {
      try Subprocess(Repository.program, arguments, environment: ["XDG_CONFIG_HOME": home.path])
    }

    @Test func checkNamesEachWrongLineAndFindsNothingInTheBundledOnes() async throws {
      let home = try home([
        "bad.theme": "inherits = nigth\n[roles]\ntile.boder = text\ntile.name = text blod\n\u{1B}]0;evil\u{7}\n",
        "loop.theme": "inherits = other", "other.theme": "inherits = loop",
        "large.theme": String(repeating: "# much\n", count: 20_000),
      ])
      defer { try? FileManager.default.removeItem(at: home) }
      let folder = home.appending(path: "confab").path
      let check = try confab(["theme", "check", folder + "/bad.theme", folder + "/loop.theme"], home)
      #expect(try await check.exitCode() == 2)
      let lines = check.standardOutput.split(separator: "\n").map(String.init)
      #expect(lines.contains { $0.hasPrefix(folder + "/bad.theme:1: ") && $0.contains("did you mean night?") })
      #expect(lines.contains { $0.hasPrefix(folder + "/bad.theme:3: ") && $0.contains("did you mean tile.border?") })
      #expect(lines.contains { $0.hasPrefix(folder + "/bad.theme:4: ") && $0.contains("did you mean bold?") })
      #expect(lines.contains { $0.hasPrefix(folder + "/bad.theme:5: ") })
      #expect(lines.contains { $0.hasPrefix(folder + "/loop.theme:1: ") && $0.contains("inherits from itself") })
      #expect(!check.standardOutput.utf8.contains(0x1B))

      let large = try confab(["theme", "check", folder + "/large.theme"], home)
      #expect(try await large.exitCode() == 2)
      #expect(large.standardError.contains("more than 64 KiB"))

      let themes = Repository.root.appending(path: "Themes")
      let files = try FileManager.default.contentsOfDirectory(atPath: themes.path).map { "\(themes.path)/\($0)" }
      let fine = try confab(["theme", "check"] + files, home)
      #expect(try await fine.exitCode() == 0)
      #expect(fine.standardOutput.split(separator: "\n").count { $0.contains(": fine") } == files.count)
      #expect(!fine.standardOutput.contains("note:"))
    }

    @Test func aThemeThatCannotBeReadIsToldAsOne() async throws {
      let home = try home(["themes/huge.theme": String(repeating: "# much\n", count: 20_000)])
      defer { try? FileManager.default.removeItem(at: home) }
      let list = try confab(["theme", "list"], home)
      #expect(try await list.exitCode() == 0)
      #expect(
        list.standardOutput.split(separator: "\n").contains { $0.hasPrefix("huge ") && $0.contains("has a mistake") })
      for arguments in [["theme", "show", "huge"], ["demo", "--theme", "huge", "--headless", "--seconds", "1"]] {
        let child = try confab(arguments, home)
        #expect(try await child.exitCode() == 2)
        #expect(child.standardError.contains("cannot be read: it has more than 64 KiB."), "\(child.transcript)")
      }
    }

    @Test func whatShowPrintsIsAThemeThatChecksFine() async throws {
      let home = try home([:])
      defer { try? FileManager.default.removeItem(at: home) }
      let show = try confab(["theme", "show", "fjord"], home)
      #expect(try await show.exitCode() == 0)
      let mine = try self.home(["themes/mine.theme": show.standardOutput])
      defer { try? FileManager.default.removeItem(at: mine) }
      let list = try confab(["theme", "list"], mine)
      #expect(try await list.exitCode() == 0)
      #expect(list.standardOutput.contains("mine") && list.standardOutput.contains("yours; "))
      #expect(list.standardOutput.contains("high-contrast"))
      let check = try confab(["theme", "check", mine.appending(path: "confab/themes/mine.theme").path], mine)
      #expect(try await check.exitCode() == 0)
    }

    @Test func aWrongConfigurationOrThemeEndsTheProgramWithItsLine() async throws {
      let home = try home(["config": "[viewer]\nthem = day\n"])
      defer { try? FileManager.default.removeItem(at: home) }
      let wrongKey = try confab(["demo", "--headless"], home)
      #expect(try await wrongKey.exitCode() == 2)
      #expect(wrongKey.standardError.contains("line 2: There is no key “them”; did you mean theme?"))
      let doctor = try confab(["doctor"], home)
      #expect(try await doctor.exitCode() == 2)
      let words = doctor.standardOutput.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("did you mean theme?"))
      // Commands that nothing is set for do not care.
      #expect(try await confab(["theme", "list"], home).exitCode() == 0)
    }

    @Test func aThemeIsChosenByConfigurationAndChangedByAKey() async throws {
      let home = try home([
        "config": "theme = mine", "themes/mine.theme": "inherits = night\n[palette]\nbar = #123456\n",
      ])
      defer { try? FileManager.default.removeItem(at: home) }
      let terminal = try await Tmux(columns: 80, rows: 24, environment: ["XDG_CONFIG_HOME": home.path])
      try await terminal.run("\(Repository.program) demo --participants 2 --no-audio --colors 24bit")
      try await terminal.screen(within: .seconds(40), "the room") { $0.showsPicture }
      #expect(try await terminal.colours().contains("48;2;18;52;86"))
      try await terminal.press("t")
      try await terminal.screen("the next theme's name") { $0.contains("Theme night") }
      #expect(try await !terminal.colours().contains("48;2;18;52;86"))
      try await terminal.press("T")
      try await terminal.screen("the theme before") { $0.contains("Theme mine") }
      try await terminal.press("q")
      try await terminal.screen("the shell") { $0.contains("ready>") && !$0.showsPicture }
      try await terminal.run("\(Repository.program) demo --theme nihgt")
      try await terminal.screen("a guess") { $0.contains("did you mean night?") }
      await terminal.end()
    }
  }
}
