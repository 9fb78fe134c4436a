internal import CGnome
import RTCCore

/// A full ICE agent over libnice, for clients: trickle, STUN, TURN, consent freshness.
@NetworkActor
final class NiceICEAgent: ICEPath {
  private(set) var ufrag: String
  private(set) var password: String
  private(set) var drops = DropCounters()

  var onDatagram: ((UnsafeMutableRawBufferPointer) -> Void)?
  var onCandidate: ((String) -> Void)?
  var onConnected: (() -> Void)?
  var onFailed: (() -> Void)?

  private let agent: OpaquePointer
  private let stream: UInt32
  private var servers: [ICEServer] = []
  private var hasGathered = false
  private var isConnected = false
  private var isClosed = false
  private var lookups: ServerLookup?
  private let localAddresses = LocalInterfaces.usable().map { "\($0)" }

  private static let component: UInt32 = 1
  /// A key frame of a large picture arrives as one burst; the default of 208 KiB holds about 90 packets.
  private static let socketBuffer: Int32 = 1 << 20

  init(controlling: Bool) throws(TransportError) {
    // Regular nomination costs another round trip; aggressive is what peers of this kind expect.
    let options = NiceAgentOption(
      rawValue: NICE_AGENT_OPTION_ICE_TRICKLE.rawValue | NICE_AGENT_OPTION_CONSENT_FRESHNESS.rawValue)
    guard let agent = nice_agent_new_full(NetworkActor.context, NICE_COMPATIBILITY_RFC5245, options) else {
      throw .other("libnice cannot start")
    }
    confab_object_set_boolean(agent.object, "controlling-mode", controlling ? 1 : 0)
    confab_object_set_boolean(agent.object, "upnp", 0)
    confab_object_set_boolean(agent.object, "ice-tcp", 0)
    // 0.5 s, doubled each time: checks go on until the transport gives up, for a peer may learn of us late.
    confab_object_set_uint(agent.object, "stun-max-retransmissions", 7)
    // Real checks, so that an ICE-lite peer sees that we are alive.
    confab_object_set_boolean(agent.object, "keepalive-conncheck", 1)
    let stream = nice_agent_add_stream(agent, 1)
    guard stream != 0, let credentials = Self.localCredentials(agent, stream) else {
      g_object_unref(agent.object)
      throw .other("libnice cannot make a stream")
    }
    self.agent = agent
    self.stream = stream
    (ufrag, password) = credentials
    connectSignals()
  }

  private static func localCredentials(
    _ agent: OpaquePointer, _ stream: UInt32
  ) -> (ufrag: String, password: String)? {
    var ufrag: UnsafeMutablePointer<gchar>?
    var password: UnsafeMutablePointer<gchar>?
    guard nice_agent_get_local_credentials(agent, stream, &ufrag, &password) != 0, let ufrag, let password else {
      return nil
    }
    defer {
      g_free(ufrag)
      g_free(password)
    }
    return (String(cString: ufrag), String(cString: password))
  }

  isolated deinit { close() }

  private func connectSignals() {
    let newCandidate: @convention(c) (gpointer?, UnsafeMutablePointer<NiceCandidate>?, gpointer?) -> Void = {
      _, candidate, data in
      NetworkActor.assumeIsolated { CallbackContext<NiceICEAgent>.object(data)?.gathered(candidate) }
    }
    let gatheringDone: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, _, data in
      NetworkActor.assumeIsolated { CallbackContext<NiceICEAgent>.object(data)?.onCandidate?("") }
    }
    let stateChanged: @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> Void = { _, _, _, state, data in
      NetworkActor.assumeIsolated { CallbackContext<NiceICEAgent>.object(data)?.componentChanged(to: state) }
    }
    connectSignal(agent.object, "new-candidate-full", to: self, signalHandler(newCandidate))
    connectSignal(agent.object, "candidate-gathering-done", to: self, signalHandler(gatheringDone))
    connectSignal(agent.object, "component-state-changed", to: self, signalHandler(stateChanged))
    // The agent keeps this one's context until it is gone itself.
    let context = CallbackContext(self).retained()
    g_object_set_data_full(
      agent.object.assumingMemoryBound(to: GObject.self), "confab-receive", context,
      AnyCallbackContext.release)
    nice_agent_attach_recv(
      agent, stream, Self.component, NetworkActor.context,
      { _, _, _, length, bytes, data in
        NetworkActor.assumeIsolated {
          CallbackContext<NiceICEAgent>.object(data)?.onDatagram?(
            UnsafeMutableRawBufferPointer(start: bytes, count: Int(length)))
        }
      }, context)
  }

  // MARK: Gathering

  func setServers(_ servers: [ICEServer]) { self.servers = servers }

  func gather() {
    guard !hasGathered, !isClosed else { return }
    hasGathered = true
    let endpoints = servers.flatMap { server in server.endpoints.map { (server, $0) } }
    if endpoints.isEmpty { return startGathering() }
    let lookups = ServerLookup { [weak self] in self?.startGathering() }
    self.lookups = lookups
    for (server, endpoint) in endpoints {
      lookups.resolve(endpoint.host) { [weak self] address in self?.use(endpoint, at: address, of: server) }
    }
    lookups.finish()
  }

  private func use(_ endpoint: ICEServer.Endpoint, at address: String, of server: ICEServer) {
    guard !isClosed else { return }
    let relay: NiceRelayType
    switch endpoint.kind {
    case .stun:
      confab_object_set_string(agent.object, "stun-server", address)
      confab_object_set_uint(agent.object, "stun-server-port", guint(endpoint.port))
      return
    case .turnUDP: relay = NICE_RELAY_TYPE_TURN_UDP
    case .turnTCP: relay = NICE_RELAY_TYPE_TURN_TCP
    case .turnTLS: relay = NICE_RELAY_TYPE_TURN_TLS
    }
    nice_agent_set_relay_info(
      agent, stream, Self.component, address, guint(endpoint.port), server.username, server.credential, relay)
  }

  private func startGathering() {
    lookups = nil
    guard !isClosed else { return }
    addLocalAddresses()
    if nice_agent_gather_candidates(agent, stream) == 0 { onFailed?() }
  }

  /// libnice by itself leaves loopback out, and ties each socket to the interface of its address, so that a server on
  /// this machine's loopback could not be reached. With addresses of our own it looks for no others.
  private func addLocalAddresses() {
    for text in localAddresses {
      guard let address = nice_address_new() else { continue }
      if nice_address_set_from_string(address, text) != 0 { nice_agent_add_local_address(agent, address) }
      nice_address_free(address)
    }
  }

  private func gathered(_ candidate: UnsafeMutablePointer<NiceCandidate>?) {
    guard let text = nice_agent_generate_local_candidate_sdp(agent, candidate) else { return }
    defer { g_free(text) }
    guard let parsed = try? ICECandidate(parsing: String(cString: text)) else { return }
    // Our loopback is of use to nobody else, and a peer on this machine finds us by our checks.
    if parsed.kind == .host, let address = parsed.ipAddress, LocalInterfaces.isLoopback(address) { return }
    onCandidate?(parsed.attribute)
  }

  // MARK: Connecting

  func restart() -> Bool {
    guard !isClosed, nice_agent_restart_stream(agent, stream) != 0,
      let credentials = Self.localCredentials(agent, stream)
    else { return false }
    (ufrag, password) = credentials
    // Candidates stay as they are, but belong to new credentials now.
    let candidates = nice_agent_get_local_candidates(agent, stream, Self.component)
    var item = candidates
    while let node = item {
      gathered(node.pointee.data?.assumingMemoryBound(to: NiceCandidate.self))
      item = node.pointee.next
    }
    g_slist_free_full(candidates) { data in
      if let data { nice_candidate_free(data.assumingMemoryBound(to: NiceCandidate.self)) }
    }
    onCandidate?("")
    return true
  }

  func connect(remoteUfrag: String, remotePassword: String) {
    guard !isClosed else { return }
    gather()
    nice_agent_set_remote_credentials(agent, stream, remoteUfrag, remotePassword)
  }

  func addRemoteCandidate(_ candidate: String) {
    guard !isClosed else { return }
    if candidate.isEmpty {
      nice_agent_peer_candidate_gathering_done(agent, stream)
      return
    }
    // Read first by our own parser, so that libnice is shown nothing that is not well formed. Host names of browsers
    // (.local) and TCP are left out: such a peer is found by the checks that it sends.
    guard let parsed = try? ICECandidate(parsing: candidate), parsed.ipAddress != nil, parsed.transport == "udp",
      parsed.component == 1,
      let native = nice_agent_parse_remote_candidate_sdp(agent, stream, "a=" + parsed.attribute)
    else { return drops.count(.malformed) }
    let list = g_slist_append(nil, native)
    nice_agent_set_remote_candidates(agent, stream, Self.component, list)
    g_slist_free(list)
    nice_candidate_free(native)
  }

  private func componentChanged(to state: UInt32) {
    guard !isClosed else { return }
    switch NiceComponentState(rawValue: state) {
    case NICE_COMPONENT_STATE_CONNECTED, NICE_COMPONENT_STATE_READY:
      guard !isConnected else { return }
      isConnected = true
      enlargeSocketBuffers()
      onConnected?()
    // Before the first connection more candidates may come, and the transport's own deadline ends the wait.
    case NICE_COMPONENT_STATE_FAILED:
      guard isConnected else { return }
      isConnected = false
      onFailed?()
    default: break
    }
  }

  private func enlargeSocketBuffers() {
    guard let socket = nice_agent_get_selected_socket(agent, stream, Self.component) else { return }
    _ = g_socket_set_option(socket, SOL_SOCKET, SO_RCVBUF, Self.socketBuffer, nil)
    _ = g_socket_set_option(socket, SOL_SOCKET, SO_SNDBUF, Self.socketBuffer, nil)
    g_object_unref(socket)
  }

  func send(_ datagram: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    let sent = nice_agent_send(
      agent, stream, Self.component, guint(datagram.count),
      datagram.baseAddress?.assumingMemoryBound(to: gchar.self))
    if sent < 0 { drops.count(.queueFull) }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    (onDatagram, onCandidate, onConnected, onFailed) = (nil, nil, nil, nil)
    lookups?.cancel()
    lookups = nil
    // We may be inside one of the agent's own callbacks, so it goes from the loop. Closing first gives TURN its
    // allocations back.
    guard let source = g_idle_source_new() else { return }
    g_source_set_priority(source, G_PRIORITY_DEFAULT)
    g_source_set_callback(
      source,
      { data in
        guard let data else { return 0 }
        nice_agent_close_async(OpaquePointer(data), { object, _, _ in g_object_unref(object) }, nil)
        return 0
      }, agent.object, nil)
    g_source_attach(source, NetworkActor.context)
    g_source_unref(source)
  }
}

extension OpaquePointer {
  /// The same object, where GObject's functions take any.
  fileprivate var object: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}
