import Conference
import Media
import RTCCore
import Transport

/// Where the media of one track goes: its decoder or its playout buffer. It outlives the streams and the connections that
/// feed it, so that a tile keeps its picture and a voice its volume while another stream takes over.
@NetworkActor
final class TrackOutlet {
  let video: VideoPlayback?
  let audio: AudioTrackPlayback?
  /// The frame that was decoded last; nil for sound.
  let newest: NewestFrame?
  private var feeder = 0

  init(video: VideoPlayback, newest: NewestFrame) {
    self.video = video
    self.newest = newest
    audio = nil
  }
  init(audio: AudioTrackPlayback) {
    self.audio = audio
    video = nil
    newest = nil
  }

  var kind: MediaKind { video == nil ? .audio : .video }

  /// Takes a frame from a connection. A newer connection's first frame, which is a key frame, ends the turn of the older
  /// ones; until then these go on, so that nothing stands still meanwhile. False when the turn is another's.
  func push(_ frame: EncodedFrame, from feeder: Int) -> Bool {
    guard feeder >= self.feeder else { return false }
    self.feeder = feeder
    video?.push(frame)
    return true
  }

  /// A newer connection is gone, and this one goes on.
  func turn(to feeder: Int) { self.feeder = feeder }
}

/// The outlets of all tracks, and why some of them may be getting nothing.
@NetworkActor
final class TrackOutlets {
  private let mixer: AudioMixer
  private let directory: PlaybackDirectory
  private var outlets: [TrackID: TrackOutlet] = [:]
  /// Why a track may be sending nothing: any of these is no reason to ask for key frames.
  private var muted: Set<TrackID> = []
  private var inactive: Set<TrackID> = []
  private var unrequested: Set<TrackID> = []

  /// Called when the first picture of a track is decoded, and when its size changes.
  var onPictureSize: ((TrackID, _ width: Int, _ height: Int, _ isFirst: Bool) -> Void)?
  /// Called when a track's decoder cannot go on without a key frame.
  var onNeedsKeyFrame: ((TrackID) -> Void)?
  /// Called when the decoder of a track cannot be made.
  var onFailure: ((TrackID, MediaError) -> Void)?
  /// Called when it changes whether media of a track is to be expected.
  var onPauseChange: ((TrackID) -> Void)?

  /// Decoding for all rooms of the process: two threads keep up with a wall of small layers and leave the rest alone.
  private static let workers = DecodeWorkers(threads: 2)

  init(mixer: AudioMixer, directory: PlaybackDirectory) {
    self.mixer = mixer
    self.directory = directory
  }

  /// The outlet of a track, made if there is none. Nil when its decoder cannot be made.
  func outlet(_ id: TrackID, _ kind: MediaKind) -> TrackOutlet? {
    if let known = outlets[id] {
      if known.kind == kind { return known }
      close(id)
    }
    switch kind {
    case .video:
      let newest = NewestFrame()
      let playback = VideoPlayback(
        executor: Self.workers, events: playbackEvents(of: id, newest), clock: { NetworkActor.now })
      outlets[id] = TrackOutlet(video: playback, newest: newest)
      directory.set(id, video: playback, audio: nil)
    case .audio:
      let playback: AudioTrackPlayback
      do throws(MediaError) { playback = try AudioTrackPlayback() } catch {
        onFailure?(id, error)
        return nil
      }
      mixer.add(playback)
      outlets[id] = TrackOutlet(audio: playback)
      directory.set(id, video: nil, audio: playback)
    }
    return outlets[id]
  }

  /// Closes the outlets of all other tracks.
  func keep(only tracks: Set<TrackID>) {
    for id in outlets.keys where !tracks.contains(id) { close(id) }
  }

  private func close(_ id: TrackID) {
    guard let outlet = outlets.removeValue(forKey: id) else { return }
    outlet.video?.close()
    if let audio = outlet.audio { mixer.remove(audio) }
    directory.set(id, video: nil, audio: nil)
  }

  // MARK: Pauses

  func isPaused(_ track: TrackID) -> Bool {
    muted.contains(track) || inactive.contains(track) || unrequested.contains(track)
  }

  func setMuted(_ track: TrackID, _ value: Bool) {
    // When the picture comes back, the one from before must not show first.
    if value, !muted.contains(track) { outlets[track]?.video?.reset() }
    mark(track, in: \.muted, value)
  }
  func setActive(_ track: TrackID, _ value: Bool) { mark(track, in: \.inactive, !value) }
  func setRequested(_ track: TrackID, _ value: Bool) { mark(track, in: \.unrequested, !value) }

  private func mark(_ track: TrackID, in set: ReferenceWritableKeyPath<TrackOutlets, Set<TrackID>>, _ value: Bool) {
    if value { self[keyPath: set].insert(track) } else { self[keyPath: set].remove(track) }
    // The gap until the next picture is no freeze.
    if isPaused(track) { outlets[track]?.video?.interrupt() }
    onPauseChange?(track)
  }

  // MARK: Decoders

  private func playbackEvents(of id: TrackID, _ newest: NewestFrame) -> PlaybackEvents {
    var events = PlaybackEvents()
    events.onDecoded = { newest.frame = $0 }
    events.onFirstFrame = { [weak self] width, height in
      guard let self else { return }
      Task { @NetworkActor [weak self] in self?.onPictureSize?(id, width, height, true) }
    }
    events.onSizeChange = { [weak self] width, height in
      guard let self else { return }
      Task { @NetworkActor [weak self] in self?.onPictureSize?(id, width, height, false) }
    }
    events.onNeedsKeyFrame = { [weak self] in
      Task { @NetworkActor in self?.onNeedsKeyFrame?(id) }
    }
    events.onPicture = { [directory] in directory.pictureArrived() }
    return events
  }
}
