import Foundation
import RTCCore
import Testing

@testable import Transport

/// A certificate authority of our own and a server certificate from it, made with the `openssl` command.
private struct Authority {
  let directory: URL
  var authorityFile: String { directory.appendingPathComponent("ca.pem").path }
  var certificateFile: String { directory.appendingPathComponent("server.pem").path }
  var keyFile: String { directory.appendingPathComponent("server.key").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("confab-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try "subjectAltName=IP:127.0.0.1\n".write(
      to: directory.appendingPathComponent("san"), atomically: true, encoding: .utf8)
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    try openssl("req -x509 \(key) -keyout ca.key -out ca.pem -subj /CN=Test-Authority -days 2")
    try openssl("req \(key) -keyout server.key -out server.csr -subj /CN=127.0.0.1")
    try openssl(
      "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile san")
  }

  private func openssl(_ arguments: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = directory
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TransportError.other("openssl failed") }
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }
}

@NetworkActor
@Suite struct TLSTests {
  @Test func aServerOfAnUnknownAuthorityIsRefusedAndOneOfOursAccepted() async throws {
    // The command is waited for, which the network thread must not do.
    let authority = try await Task.detached { try Authority() }.value
    defer { authority.remove() }
    let server = try HTTPServer(certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile)
    var accepted: [WebSocketConnection] = []
    server.onRequest = { _, _ in HTTPResponse(status: 200, body: Array("secret".utf8)) }
    server.onUpgrade = { request in
      guard request.path == "/socket" else { return .refuse(HTTPResponse(status: 403, body: Array("no".utf8))) }
      return .accept { connection in
        accepted.append(connection)
        connection.onMessage = { [weak connection] in connection?.send($0) }
      }
    }
    try server.listen(bind: "127.0.0.1", port: 0)
    defer { server.close() }
    let address = "127.0.0.1:\(server.port)"

    func isNotTrusted(_ error: any Error) -> Bool {
      if case .notTrusted = error as? TransportError { true } else { false }
    }
    await #expect { try await HTTPClient.send(url: "https://\(address)/") } throws: { isNotTrusted($0) }
    await #expect { try await WebSocketClient.connect(url: "wss://\(address)/socket") } throws: { isNotTrusted($0) }
    await #expect {
      try await HTTPClient.send(url: "https://\(address)/", certificateAuthorityFile: "/nonexistent")
    } throws: { isNotTrusted($0) }

    let response = try await HTTPClient.send(
      url: "https://\(address)/", certificateAuthorityFile: authority.authorityFile)
    #expect(response.body == Array("secret".utf8))
    // The certificate is for the address, not for the name.
    await #expect {
      try await HTTPClient.send(
        url: "https://localhost:\(server.port)/", certificateAuthorityFile: authority.authorityFile)
    } throws: { isNotTrusted($0) }

    let socket = try await WebSocketClient.connect(
      url: "wss://\(address)/socket", certificateAuthorityFile: authority.authorityFile)
    var received: [[UInt8]] = []
    socket.onMessage = { received.append($0) }
    socket.send([1, 2, 3])
    #expect(await eventually { received == [[1, 2, 3]] })
    await #expect(throws: TransportError.httpStatus(403, body: "no")) {
      try await WebSocketClient.connect(
        url: "wss://\(address)/other", certificateAuthorityFile: authority.authorityFile)
    }
  }

  @Test func aPlainServerBehindASecureAddressIsUnreachable() async throws {
    let listener = try SilentListener()
    defer { listener.close() }
    let url = "https://127.0.0.1:\(listener.port)/"
    let request = Task { try await HTTPClient.send(url: url) }
    #expect(await eventually { listener.answer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) })
    await #expect { try await request.value } throws: {
      if case .unreachable = $0 as? TransportError { true } else { false }
    }
  }
}
