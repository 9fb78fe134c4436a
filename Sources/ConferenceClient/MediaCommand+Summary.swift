import Signalling

extension MediaCommand {
  /// For the log: what is asked for, without passwords.
  var summary: String {
    switch self {
    case .iceServers(let servers): "\(servers.count) ICE servers"
    case .gather(let role): "gather candidates of \(role)"
    case .connect(let role, let remote):
      "connect \(role) to \(remote.candidates), DTLS \(remote.weAreDTLSClient ? "client" : "server")"
    case .restart(let role): "restart ICE of \(role)"
    case .renew(let role): "renew \(role)"
    case .addCandidate(let role, let candidate): "candidate for \(role): \(candidate)"
    case .receive(let tracks): "receive \(tracks.map { "\($0.track) ssrc \($0.ssrc?.description ?? "unknown")" })"
    case .send(let tracks):
      "send \(tracks.map { "\($0.kind.rawValue) \($0.encodings.map { $0.rid ?? $0.ssrc.description })" })"
    }
  }
}
