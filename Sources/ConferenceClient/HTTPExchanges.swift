import RTCCore
import Signalling
import Transport

/// Carries the requests of a session that speaks plain HTTP, each on its own.
@NetworkActor
final class HTTPChannel: SignallingChannel {
  var onMessage: (@NetworkActor ([UInt8]) -> Void)?
  var onClose: (@NetworkActor (_ code: Int, _ reason: String) -> Void)?

  private let certificateAuthorityFile: String?
  private var exchanges: [Int: Task<Void, Never>] = [:]
  /// Requests that shall arrive though nobody waits for their answer.
  private var farewells: Set<Int> = []
  private var streams: [Int: HTTPStream] = [:]
  private var isClosed = false

  init(certificateAuthorityFile: String?) { self.certificateAuthorityFile = certificateAuthorityFile }

  func send(_ message: [UInt8]) {
    guard !isClosed, let request = HTTPExchangeRequest(message: message) else { return }
    if request.isStream { return open(request) }
    if request.method == "DELETE" { farewells.insert(request.id) }
    exchanges[request.id] = Task { [weak self, certificateAuthorityFile] in
      let outcome: HTTPExchangeResponse.Outcome
      do throws(TransportError) {
        let response = try await HTTPClient.send(
          method: request.method, url: request.url, headers: request.headers.map { ($0.name, $0.value) },
          body: Array(request.body.utf8), certificateAuthorityFile: certificateAuthorityFile,
          timeout: .milliseconds(request.timeoutMilliseconds), followsRedirects: false)
        outcome = .answered(response)
      } catch {
        outcome = .failed(error)
      }
      self?.finished(request.id, outcome)
    }
  }

  private func finished(_ id: Int, _ outcome: HTTPExchangeResponse.Outcome) {
    exchanges[id] = nil
    farewells.remove(id)
    tell(id, outcome)
  }

  private func open(_ request: HTTPExchangeRequest) {
    let stream: HTTPStream
    do throws(TransportError) {
      stream = try HTTPStream(
        url: request.url, headers: request.headers.map { ($0.name, $0.value) },
        certificateAuthorityFile: certificateAuthorityFile, timeout: .milliseconds(request.timeoutMilliseconds))
    } catch {
      // Not within the call: the session is in the middle of telling what it wants.
      exchanges[request.id] = Task { [weak self] in self?.finished(request.id, .failed(error)) }
      return
    }
    streams[request.id] = stream
    stream.onAnswer = { [weak self] response in self?.tell(request.id, .answered(response)) }
    stream.onPiece = { [weak self] bytes in self?.tell(request.id, .piece(String(decoding: bytes, as: UTF8.self))) }
    stream.onEnd = { [weak self] _ in
      self?.streams[request.id] = nil
      self?.tell(request.id, .ended)
    }
    stream.start()
  }

  private func tell(_ id: Int, _ outcome: HTTPExchangeResponse.Outcome) {
    onMessage?(HTTPExchangeResponse(id: id, outcome).message)
  }

  func close(code _: Int, reason _: String) {
    isClosed = true
    onMessage = nil
    for stream in streams.values { stream.close() }
    streams = [:]
    for (id, exchange) in exchanges where !farewells.contains(id) { exchange.cancel() }
  }

  func flush() async {
    for id in farewells { await exchanges[id]?.value }
  }
}

extension HTTPExchangeResponse.Outcome {
  fileprivate static func answered(_ response: HTTPResponse) -> Self {
    .answered(
      status: response.status, headers: response.headers.map { HTTPExchangeField($0.name, $0.value) },
      body: String(decoding: response.body, as: UTF8.self))
  }

  fileprivate static func failed(_ error: TransportError) -> Self {
    switch error {
    case .timedOut: .failed(.timedOut, "\(error)")
    case .notTrusted: .failed(.notTrusted, "\(error)")
    default: .failed(.unreachable, "\(error)")
    }
  }
}
