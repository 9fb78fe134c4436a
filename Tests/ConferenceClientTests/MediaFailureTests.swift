import Conference
import Media
import Testing

@testable import ConferenceClient

@Suite struct MediaFailureTests {
  @Test func mediaThatHasPassedIsNotSaidToBeBlocked() async throws {
    let server = try await LoopbackRoom()
    let ada = try await server.join("ada")
    _ = await ada.connection.publish(ToneSource())
    _ = try await ada.wait(for: "media") { await ada.connection.connectedRoles.contains(.publisher) ? true : nil }
    await ada.connection.mediaFailed(.iceFailed, .publisher)
    #expect(await ada.connection.endFailure?.code == .closedByServer)
    await server.stop()
  }

  @Test func mediaThatNeverPassedMayBeBlocked() async throws {
    let server = try await LoopbackRoom()
    let bo = try await server.join("bo")
    await bo.connection.mediaFailed(.iceFailed, .publisher)
    #expect(await bo.connection.endFailure?.code == .mediaFailed)
    await server.stop()
  }
}
