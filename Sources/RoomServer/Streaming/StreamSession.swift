import RTCCore
import Signalling
import Transport

/// A WHIP or WHEP session as HTTP sees it: an address, a token, and one ICE session after another.
@NetworkActor final class StreamSession {
  enum Media {
    case publisher(Participant)
    case player(Player)
  }

  /// What a request to change ICE came to.
  enum ICEChange: Equatable {
    /// More candidates, for which a lite agent has no use (RFC 8445 §2.5): it answers whatever checks come.
    case noted
    case restarted(ICEFragment)
    case impossible
  }

  let id = ServerContext.makeID("")
  let admission: Admission
  let media: Media
  /// The token that the session was begun with; it stays good for the session after its expiry, or nobody could end a
  /// stream that ran longer.
  private let token: String
  private var remoteCredentials: ICECredentials?
  /// The sections of our answer, of which fragments name the first.
  private let bundle: [String]
  private let kind: MediaSection.Kind

  init(_ media: Media, admission: Admission, token: String, offer: SessionDescription) {
    self.media = media
    self.admission = admission
    self.token = token
    let section = offer.transportSection
    remoteCredentials = section.flatMap(offer.iceCredentials(for:))
    bundle = offer.bundleGroups.first ?? offer.media.compactMap(\.mid)
    kind = section?.kind ?? .audio
  }

  /// Names the ICE session (RFC 9725 §4.3.1).
  var entityTag: String { "\"\(local?.credentials.usernameFragment ?? "")\"" }

  /// Calls `handler` once, when the session ends for whatever reason.
  func onEnd(_ handler: @escaping () -> Void) {
    switch media {
    case .publisher(let participant): participant.onLeave = handler
    case .player(let player): player.onEnd = handler
    }
  }

  func accepts(token: String) -> Bool { token == self.token }

  /// Takes what the peer says about its ICE.
  func receive(_ fragment: ICEFragment) -> ICEChange {
    guard let credentials = fragment.credentials, credentials != remoteCredentials else { return .noted }
    let restarts =
      switch media {
      case .publisher(let participant): participant.publisher?.restartICE() ?? false
      case .player(let player): player.restartICE()
      }
    guard restarts, let local else { return .impossible }
    remoteCredentials = credentials
    var answer = ICEFragment(credentials: local.credentials)
    answer.isICELite = true
    answer.bundleGroup = bundle
    answer.mid = bundle.first
    answer.kind = kind
    answer.candidates = local.candidates
    answer.hasAllCandidates = true
    return .restarted(answer)
  }

  /// Ends the session at its owner's wish.
  func end() {
    switch media {
    case .publisher(let participant):
      participant.room.remove(participant, reason: .clientInitiated, action: .disconnect, tell: false)
    case .player(let player): player.room.remove(player)
    }
  }

  private var local: LocalEnd? {
    switch media {
    case .publisher(let participant): participant.publisher?.local
    case .player(let player): player.local
    }
  }
}
