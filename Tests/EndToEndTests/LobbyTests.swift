import Conference
import ConferenceClient
import Foundation
import Glibc
import Screen
import Testing

@testable import Terminal
@testable import confab

extension EndToEnd {
  /// What the connect screen starts and gives up.
  @Suite struct LobbyTests {
    @Test func aRoomThatLetUsInJustBeforeTheJoinWasGivenUpIsLeft() async throws {
      let server = try await EmbeddedServer.start(
        bind: "127.0.0.1", port: 0, udpPort: 0, keysFile: nil, log: Log(isVerbose: false))
      try await Fixtures.withFolder { folder in
        let draft = try #require(try JoinDraft(Options([server.url, "--dev"], flags: JoinTarget.flags)))
        let lobby = try Lobby(
          draft: draft, options: JoinOptions(), history: RoomHistory(environment: ["XDG_STATE_HOME": folder.path]))
        lobby.join(ConnectRequest(address: server.url, admission: .identity("ada", room: "lab")))
        // The first news wakes the screen, which is about to hear of Escape instead.
        try await eventually(within: .seconds(30), "the room", seen: { "" }) { () -> Void? in
          var descriptor = pollfd(fd: lobby.waker.descriptor, events: Int16(POLLIN), revents: 0)
          return poll(&descriptor, 1, 0) == 1 ? () : nil
        }
        lobby.cancel()
        for news in lobby.take() {
          if case .joined = news { Issue.record("a room that nobody waits for") }
          if case .failed(let error) = news { Issue.record("\(error)") }
        }
        await lobby.close()
        let room = try await draft.join(
          ConnectRequest(address: server.url, admission: .identity("bo", room: "lab")), options: JoinOptions())
        let limit = ContinuousClock.now + .seconds(10)
        while await room.snapshot.participants.map(\.id.raw) != ["bo"] {
          try #require(ContinuousClock.now < limit, "ada is still there")
          try await Task.sleep(for: .milliseconds(50))
        }
        await room.leave()
      }
      await server.stop()
    }
  }
}
