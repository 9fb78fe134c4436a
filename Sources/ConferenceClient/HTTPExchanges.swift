import RTCCore
import Signalling
import Transport

/// Makes the HTTP requests that an adapter asks for, each by itself, and tells what came of them.
@NetworkActor
final class HTTPExchanges {
  var onResponse: (@NetworkActor (HTTPExchangeResponse) -> Void)?

  private let options: JoinOptions
  private var exchanges: [Int: Task<Void, Never>] = [:]
  /// Requests that shall arrive though nobody waits for their answer.
  private var farewells: Set<Int> = []
  private var streams: [Int: HTTPStream] = [:]
  private var isClosed = false

  init(options: JoinOptions) { self.options = options }

  func send(_ request: HTTPExchangeRequest) {
    guard !isClosed else { return }
    // A query may carry a token.
    options.log("\(request.method) \(request.url.prefix { $0 != "?" })")
    if request.isStream { return open(request) }
    if request.isFarewell { farewells.insert(request.id) }
    exchanges[request.id] = Task { [weak self, options] in
      let outcome: HTTPExchangeResponse.Outcome
      do throws(TransportError) {
        let response = try await HTTPClient.send(
          method: request.method, url: request.url, headers: request.headers.map { ($0.name, $0.value) },
          body: Array(request.body.utf8), certificateAuthorityFile: options.certificateAuthorityFile,
          timeout: request.timeout, followsRedirects: request.followsRedirects)
        outcome = .answered(response)
      } catch {
        outcome = .failed(LinkFailure(error))
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
        certificateAuthorityFile: options.certificateAuthorityFile, timeout: request.timeout)
    } catch {
      // Not within the call: the adapter is in the middle of telling what it wants.
      exchanges[request.id] = Task { [weak self] in self?.finished(request.id, .failed(LinkFailure(error))) }
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
    switch outcome {
    case .answered(let status, _, _): options.log("HTTP status \(status)")
    case .failed(let failure): options.log("no HTTP answer: \(failure)")
    case .piece, .ended: break
    }
    onResponse?(HTTPExchangeResponse(id: id, outcome))
  }

  /// Ends everything but farewells; nothing is told any more.
  func close() {
    isClosed = true
    onResponse = nil
    for stream in streams.values { stream.close() }
    streams = [:]
    for (id, exchange) in exchanges where !farewells.contains(id) { exchange.cancel() }
  }

  /// Waits until the farewells have been answered, or their time is over.
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
}
