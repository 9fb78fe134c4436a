import Screen
import Testing

@testable import confab

private let flags = [Flag("--seconds", "N", ""), Flag("--headless", nil, ""), Flag("--layer", "L", "")]

private func failure(_ arguments: [String]) -> String? {
  do throws(UsageError) {
    _ = try Options(arguments, flags: flags)
    return nil
  } catch { return error.message }
}

@Test func flagsValuesAndWordsAreToldApart() throws {
  let options = try Options(
    ["ws://x", "--seconds", "5", "--headless", "-", "--layer=low", "--", "--odd"], flags: flags)
  #expect(options.words == ["ws://x", "-", "--odd"])
  #expect(options.text("--seconds") == "5")
  #expect(options.text("--layer") == "low")
  #expect(options.has("--headless"))
}

@Test func aFlagAfterAWordIsThatWordsAndOneBeforeTheFirstIsEverybodys() throws {
  let options = try Options(
    ["--layer", "low", "one", "--seconds=5", "two", "--layer", "high", "--headless"], flags: flags)
  let scoped = (0..<2).map(options.scoped(to:))
  #expect(scoped.map(\.words) == [["one"], ["two"]])
  #expect(scoped.map { $0.text("--layer") } == ["low", "high"])
  #expect(scoped.map { $0.text("--seconds") } == ["5", nil])
  #expect(scoped.allSatisfy { $0.has("--headless") })
  #expect(options.text("--seconds") == "5")
}

@Test func theFlagsOfAWordAloneHoldWhereverTheyStand() throws {
  let options = try Options(["--layer", "low", "one", "--seconds", "5"], flags: flags).scoped(to: 0)
  #expect(options.text("--layer") == "low")
  #expect(options.text("--seconds") == "5")
}

@Test func whatIsWrongWithAFlagIsSaid() {
  #expect(failure(["--second"])?.contains("--seconds") == true)
  #expect(failure(["--xyzzyxyzzy"]) == "There is no option --xyzzyxyzzy.")
  #expect(failure(["--seconds"])?.contains("needs a value") == true)
  #expect(failure(["--headless=yes"])?.contains("takes no value") == true)
}

@Test(arguments: ["0", "-3", "many", "nan", "inf", ""])
func durationsAreNumbersAboveZero(text: String) throws {
  let options = try Options(["--seconds", text], flags: flags)
  var refused = false
  do throws(UsageError) { _ = try options.duration("--seconds") } catch { refused = true }
  #expect(refused)
}

@Test func theNearestWordIsNamedOnlyWhenItIsNear() {
  #expect(Nearest.match("jion", among: ["join", "serve"]) == "join")
  #expect(Nearest.match("qqqqqqq", among: ["join", "serve"]) == nil)
}

@Test func everyCommandHasAHelpPageWithAllItsFlags() {
  for command in Confab.commands {
    let page = Help.page(command)
    for flag in command.flags { #expect(page.contains(flag.name)) }
    #expect(Help.overview.contains(command.name))
  }
}

@Test(arguments: [("6h", 21_600), ("30m", 1_800), ("2d", 172_800), ("-1h", -3_600)])
func tokenLifetimes(text: String, seconds: Int) throws {
  #expect(try TokenCommand.validity(text) == .seconds(seconds))
}

@Test(arguments: ["6", "h", "6y", "1.5h", "99999999999999999999h", "-9223372036854775808s", "9223372036854775807d"])
func wrongTokenLifetimesAreRefused(text: String) {
  var refused = false
  do throws(UsageError) { _ = try TokenCommand.validity(text) } catch { refused = true }
  #expect(refused)
}

@Test(arguments: ["0", "-1", "nan", "inf", "1e-300", "1e300", "5e-324"])
func speedsThatNoClockCanKeepAreRefused(speed: String) async throws {
  let options = try Options(["no-such.ivf", "--speed", speed], flags: PlayCommand.flags)
  await #expect(throws: UsageError.self) { try await PlayCommand.run(options) }
}
