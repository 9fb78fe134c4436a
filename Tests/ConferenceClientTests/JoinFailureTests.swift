import Conference
import Foundation
import Signalling
import Testing
import Transport

@testable import ConferenceClient

@Suite struct JoinFailureTests {
  private static func connecting(_ status: Int, _ body: String, explanation: String? = nil) -> ConferenceError {
    JoinFailure.connecting(to: "ws://h", .httpStatus(status, body: body), explanation: explanation)
  }

  @Test(arguments: [401, 403, 409, 418, 429, 500, 503])
  func aServerThatGivesNoReasonIsToldSo(status: Int) {
    for body in ["", " \n", "<html><body>Forbidden key expired</body></html>", "\n<!DOCTYPE html>"] {
      let error = Self.connecting(status, body)
      #expect(error.message.contains("and did not say why"), "\(error)")
      #expect(!error.message.contains("<") && !error.message.contains(": ."), "\(error)")
    }
  }

  @Test func whatAServerSaysIsPassedOn() {
    #expect(Self.connecting(503, "draining.").message.hasSuffix("HTTP 503: draining."))
    #expect(Self.connecting(401, "<html>", explanation: "no such room").message.contains(": no such room."))
    #expect(Self.connecting(401, String(repeating: "long ", count: 60) + "expired").code == .tokenExpired)
  }

  @Test(arguments: [
    "ws://h/?access_token=hunter2", "wss://h?jwt=hunter2", "janus://h/?room=1&token=hunter2", "whep://h/s?jwt=hunter2",
    "wheps://h/s?access_token=hunter2", "millicast://a/s?token=hunter2",
  ])
  func aTokenInAnAddressIsRefusedBeforeAnybodyIsAsked(url: String) {
    #expect {
      try RoomConnection.inspect(url: url, options: JoinOptions())
    } throws: { error in
      let error = error as? ConferenceError
      return error?.code == .usage && error?.message.contains("hunter2") == false
        && error?.message.contains("does not belong into one") == true
    }
  }

  @Test(arguments: [
    "ws://a:hunter2@", "janus://a:hunter2@", "whep://a:hunter2@", "millicast://a:hunter2@h?director=x:hunter2",
  ])
  func anAddressThatIsNoneIsToldWithoutItsSecrets(url: String) {
    #expect {
      try RoomConnection.inspect(url: url, options: JoinOptions())
    } throws: { error in
      (error as? ConferenceError)?.code == .usage && !"\(error)".contains("hunter2")
    }
  }

  @Test func aFileOfAuthoritiesThatCannotBeUsedIsToldBeforeAnybodyIsAsked() throws {
    var options = JoinOptions()
    for file in ["/no/such.pem", "/tmp", "/dev/null"] {
      options.certificateAuthorityFile = file
      #expect {
        try RoomConnection.inspect(url: "ws://h", options: options)
      } throws: { error in
        (error as? ConferenceError)?.code == .usage && "\(error)".contains("“\(file)” cannot be used: ")
      }
    }
  }
}
