import Conference
import RTCCore
import Signalling
import Transport

public typealias ListedRoom = Signalling.ListedRoom

/// The rooms that a server has, as far as it tells.
@NetworkActor
public enum RoomDirectory {
  /// The rooms of a Janus server and who is in them.
  ///
  /// - Parameters:
  ///   - url: `janus://HOST:PORT/`, or `januss://` with TLS.
  ///   - token: where the server wants one.
  ///   - options: its time-out holds for the connection and for each answer.
  public static func list(
    url: String, token: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(ConferenceError) -> [ListedRoom] {
    let address = try JanusChannel.address(url)
    let channel = try await JanusChannel.open(address, options: options)
    let inquiry = Inquiry(
      listing: JanusListing(
        credentials: JanusCredentials(apiSecret: options.apiSecret, token: token), timeout: options.timeout,
        openedAt: NetworkActor.now),
      channel: channel)
    return try await inquiry.run()
  }
}

/// One conversation with a server about its rooms.
@NetworkActor
private final class Inquiry {
  private var listing: JanusListing
  private let channel: WebSocketConnection
  private var wake: NetworkTimer?
  private var waiting: CheckedContinuation<Result<[ListedRoom], ConferenceError>, Never>?

  init(listing: JanusListing, channel: WebSocketConnection) {
    self.listing = listing
    self.channel = channel
  }

  func run() async throws(ConferenceError) -> [ListedRoom] {
    let result: Result<[ListedRoom], ConferenceError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting = continuation
        listen()
        drain()
      }
    } onCancel: {
      Task { @NetworkActor in self.channelClosed() }
    }
    return try result.get()
  }

  private func listen() {
    wake = NetworkTimer { [weak self] in
      guard let self else { return }
      listing.advance(to: NetworkActor.now)
      drain()
    }
    channel.onMessage = { [weak self] message in
      guard let self else { return }
      listing.receive(message, at: NetworkActor.now)
      drain()
    }
    channel.onClose = { [weak self] _, _ in self?.channelClosed() }
  }

  private func channelClosed() {
    listing.connectionClosed(at: NetworkActor.now)
    drain()
  }

  private func drain() {
    while waiting != nil {
      switch listing.pollOutput() {
      case .send(let message): channel.send(message)
      case .finished(let rooms): finish(.success(rooms))
      case .refused(let code, let message): finish(.failure(ConferenceError(code, message)))
      case .wait(let until):
        if let until { wake?.schedule(at: until) } else { wake?.cancel() }
        return
      }
    }
  }

  private func finish(_ result: Result<[ListedRoom], ConferenceError>) {
    wake?.cancel()
    (channel.onMessage, channel.onClose) = (nil, nil)
    channel.close(code: 1000, reason: "")
    waiting?.resume(returning: result)
    waiting = nil
  }
}
