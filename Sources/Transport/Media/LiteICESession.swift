import RTCCore

/// One peer's share of an ``ICELiteHost``: it answers checks, and sends to the address that the peer nominated.
@NetworkActor
final class LiteICESession: ICEPath {
  private(set) var ufrag: String
  private(set) var password: String
  /// Before a restart, until a check has passed with the new ones: the peer may not have heard of them yet.
  private var previous: (ufrag: String, password: String)?
  private(set) var drops = DropCounters()

  var onDatagram: ((UnsafeMutableRawBufferPointer) -> Void)?
  var onCandidate: ((String) -> Void)?
  var onConnected: (() -> Void)?
  var onFailed: (() -> Void)?

  private weak var host: ICELiteHost?
  /// Addresses from which a check has passed, and when the last one did.
  private var lastChecks: [IPEndpoint: MonotonicTime] = [:]
  /// Where datagrams are sent.
  private var selected: IPEndpoint?
  private var consent: NetworkTimer?
  private var isClosed = false

  /// Without a check for this long the peer is gone (RFC 7675 §5.1).
  private static let consentDuration: Duration = .seconds(30)
  /// The nominated address is left for another one that works when it has been quiet this long: three checks of common
  /// agents, which come every 2 to 5 s.
  private static let staleAfter: Duration = .seconds(10)
  /// A peer has a few interfaces in two families; more is made up.
  private static let maximumAddresses = 16

  init(ufrag: String, password: String, host: ICELiteHost) {
    self.ufrag = ufrag
    self.password = password
    self.host = host
    consent = NetworkTimer { [weak self] in self?.checkConsent() }
  }

  isolated deinit { close() }

  // A lite agent has its candidates from the start, asks no servers, and sends no checks.
  func setServers(_: [ICEServer]) {}
  func connect(remoteUfrag _: String, remotePassword _: String) {}
  func addRemoteCandidate(_: String) {}

  func restart() -> Bool {
    guard !isClosed, let host else { return false }
    if let previous { host.release(ufrag: previous.ufrag, of: self) }
    previous = (ufrag, password)
    ufrag = host.unusedUfrag()
    password = Self.makePassword()
    host.register(self)
    return true
  }

  static func makePassword() -> String { Randomness.iceCharacters(24) }

  /// The password that goes with one of our user fragments.
  func password(of ufrag: String) -> String? {
    ufrag == self.ufrag ? password : ufrag == previous?.ufrag ? previous?.password : nil
  }

  func gather() {
    for candidate in host?.candidates ?? [] { onCandidate?(candidate) }
    onCandidate?("")
  }

  /// A check with our password came from `endpoint`.
  func checkPassed(from endpoint: IPEndpoint, ufrag: String, nominates: Bool, at now: MonotonicTime) {
    guard !isClosed else { return }
    if let previous, ufrag == self.ufrag {
      host?.release(ufrag: previous.ufrag, of: self)
      self.previous = nil
    }
    if lastChecks[endpoint] == nil, lastChecks.count >= Self.maximumAddresses {
      guard let oldest = lastChecks.min(by: { $0.value < $1.value })?.key else { return }
      host?.release(oldest, of: self)
      lost(oldest)
    }
    lastChecks[endpoint] = now
    host?.claim(endpoint, for: self)
    if let selected, !nominates, selected != endpoint, let last = lastChecks[selected], now - last > Self.staleAfter {
      self.selected = endpoint
    }
    consent?.schedule(at: now + Self.consentDuration)
    if nominates {
      let isFirst = selected == nil
      selected = endpoint
      if isFirst { onConnected?() }
    }
  }

  /// An address is not ours any more.
  func lost(_ endpoint: IPEndpoint) {
    lastChecks[endpoint] = nil
    if selected == endpoint { selected = lastChecks.max { $0.value < $1.value }?.key }
  }

  func receive(_ datagram: UnsafeMutableRawBufferPointer) { onDatagram?(datagram) }

  func send(_ datagram: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    guard let host, let selected else { return drops.count(.unknownAddress) }
    if !host.send(datagram, to: selected) { drops.count(.queueFull) }
  }

  func hostClosed() {
    guard !isClosed else { return }
    onFailed?()
    close()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    consent?.cancel()
    for endpoint in lastChecks.keys { host?.release(endpoint, of: self) }
    host?.release(ufrag: ufrag, of: self)
    if let previous { host?.release(ufrag: previous.ufrag, of: self) }
    (onDatagram, onCandidate, onConnected, onFailed) = (nil, nil, nil, nil)
  }

  /// The timer is set anew by each check, so none has come.
  private func checkConsent() { if !isClosed { onFailed?() } }
}
