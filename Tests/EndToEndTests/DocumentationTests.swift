import Foundation
import Testing

extension EndToEnd {
  @Suite struct DocumentationTests {
    @Test func theLibrarysReferenceIsMadeWithoutAWarning() async throws {
      let docs = try Subprocess(Repository.root.appendingPathComponent("Scripts/docs").path, [])
      #expect(try await docs.exitCode(within: .seconds(120)) == 0, "\(docs.transcript)")
      #expect(docs.standardOutput.contains("docs:"))
    }
  }
}
