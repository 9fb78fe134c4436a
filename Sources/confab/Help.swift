/// Help texts, made from the commands' own tables.
enum Help {
  static var overview: String { overview(columns: PrintedText.columns) }

  static func overview(columns: Int) -> String {
    let list = PrintedText.table(Confab.commands.map { ($0.name, $0.summary) }, to: columns)
    let title = "confab \(Confab.version), a multi-view conference viewer for the terminal"
    return """
      \(PrintedText.wrapped(title, to: columns))

      \(list.joined(separator: "\n"))

      confab COMMAND --help says more.
      """
  }

  static func page(_ command: any Command.Type) -> String { page(command, columns: PrintedText.columns) }

  static func page(_ command: any Command.Type, columns: Int) -> String {
    let usage = ["confab", command.name, command.synopsis].filter { !$0.isEmpty }.joined(separator: " ")
    let flags = command.flags.map { flag in
      (head: [flag.name, flag.value].compactMap(\.self).joined(separator: " "), text: flag.help)
    }
    let paragraphs = [usage, command.summary, command.details].filter { !$0.isEmpty }
    return
      (paragraphs.map { PrintedText.wrapped($0, to: columns) }
      + [PrintedText.table(flags, to: columns).joined(separator: "\n")])
      .joined(separator: "\n\n")
  }
}
