import Foundation

/// What the doctor says of the configuration.
enum ConfigurationReport {
  static var finding: DoctorFinding {
    let environment = ProcessInfo.processInfo.environment
    do throws(UsageError) {
      let found = try Configuration(environment: environment, flags: Confab.commands.flatMap { $0.flags })
      let usual = ConfigurationFolder.path(environment).map { "none; it would be \($0)/config" }
      let settings = found.count == 1 ? "1 setting" : "\(found.count) settings"
      return DoctorFinding(
        verdict: .good, subject: "config", text: found.file.map { "\($0), \(settings)" } ?? usual ?? "none")
    } catch {
      return DoctorFinding(verdict: .bad, subject: "config", text: error.message, code: .usage)
    }
  }
}
