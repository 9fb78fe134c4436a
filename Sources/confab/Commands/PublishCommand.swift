import Conference
import ConferenceClient
import Foundation
import Glibc
import Media
import RTCCore
import Transport

enum PublishCommand: Command {
  static let name = "publish"
  static let synopsis = "[URL] [options]"
  static let summary = "Sends pictures and sound into a room."
  static let flags =
    JoinTarget.flags + [
      Flag("--video", "V", "test, a Y4M or IVF file, - for standard input, or none (test)"),
      Flag("--audio", "A", "tone, a WAV or Ogg/Opus file, or none (tone)"),
      Flag("--simulcast", nil, "send three layers (the default where pictures are raw and large enough)"),
      Flag("--single", nil, "send one layer"),
      Flag("--loop", nil, "begin files again at their end"),
      Flag("--seconds", "N", "leave after N seconds"),
      Flag("--verbose", nil, "log what happens"),
    ]

  static func run(_ options: Options) async throws -> Int32 {
    // Whatever is wrong with the command line is found before anybody is bothered.
    let seconds = try options.duration("--seconds")
    if options.has("--simulcast"), options.has("--single") {
      throw UsageError("--simulcast and --single exclude each other.")
    }
    var media = try OutgoingMedia(options)
    let target = try JoinTarget(options, publishes: true)
    var joining = target.options
    joining.log = Log(isVerbose: options.has("--verbose")).debug
    let room = try await RoomConnection.join(
      url: target.url, token: target.token, room: target.room, options: joining)
    let publications = try await media.publish(in: room)
    StandardError.say("publishing in \(JSON.text(await room.snapshot.name).text)")
    return try await wait(for: publications, in: room, seconds: seconds)
  }

  private enum Ending: Sendable {
    case timeUp, sourcesEnded
    case interrupted(Int32)
    case failed(ConferenceError)
    case roomEnded
  }

  private static func wait(
    for publications: [Publication], in room: RoomConnection, seconds: Duration?
  ) async throws -> Int32 {
    let ending = await withTaskGroup(of: Ending?.self) { group in
      group.addTask { await Interruption.next().map { .interrupted($0) } }
      group.addTask {
        for await event in room.events {
          switch event {
          case .publishFailed(_, let message):
            return .failed(
              ConferenceError(.joinRefused, "The room does not take this track: \(JSON.text(message).text)."))
          case .left: return .roomEnded
          default: break
          }
        }
        return nil
      }
      group.addTask {
        for publication in publications {
          if let error = await publication.ended() { return .failed(ConferenceError(.unreadableFile, error.message)) }
        }
        return .sourcesEnded
      }
      if let seconds {
        group.addTask {
          do { try await Task.sleep(for: seconds) } catch { return nil }
          return .timeUp
        }
      }
      var first: Ending?
      while first == nil, let next = await group.next() { first = next }
      group.cancelAll()
      await room.leave()
      return first ?? .timeUp
    }
    switch ending {
    case .timeUp, .sourcesEnded: return 0
    case .interrupted(let signal): return signal == SIGINT ? 130 : 0
    case .failed(let error): throw error
    case .roomEnded:
      if let failure = await room.endFailure { throw failure }
      return 0
    }
  }
}

/// The sources that a command line names, opened and checked.
private struct OutgoingMedia {
  private var video: (source: any VideoSource, layers: [SimulcastEncoder.Layer], isEncoded: Bool)?
  private var audio: (any AudioSource)?

  init(_ options: Options) throws {
    do {
      try open(options)
    } catch let error as MediaError {
      throw ConferenceError(.unreadableFile, error.message, cause: error)
    }
  }

  private mutating func open(_ options: Options) throws {
    let loops = options.has("--loop")
    let name = try options.file("--video") ?? "test"
    if name != "none" {
      let source: any VideoSource =
        name == "test" ? TestPicture.make(width: 1_280, height: 720) : try VideoFile.open(name, loops: loops)
      let format = source.format
      let isEncoded = source is IVFReader
      let layers =
        options.has("--single") || isEncoded
        ? LayerPlan.single(width: format.width, height: format.height, framesPerSecond: format.framesPerSecond)
        : LayerPlan.simulcast(width: format.width, height: format.height, framesPerSecond: format.framesPerSecond)
      if options.has("--simulcast"), layers.count == 1 {
        let reason = isEncoded ? "what is encoded already is sent as it is" : "the picture is too small to divide"
        StandardError.say("multi-stream not supported: \(reason)")
      }
      video = (source, layers, isEncoded)
    }
    switch try options.file("--audio") ?? "tone" {
    case "none": break
    case "tone": audio = ToneSource()
    case let path: audio = try AudioFile.open(path, loops: loops)
    }
    if video == nil, audio == nil { throw UsageError("With neither --video nor --audio there is nothing to publish.") }
  }

  mutating func publish(in room: RoomConnection) async throws -> [Publication] {
    var publications: [Publication] = []
    if let video {
      nonisolated(unsafe) let source = video.source
      publications.append(
        try await room.publish(source, layers: video.layers, isEncoded: video.isEncoded))
    }
    if let audio {
      nonisolated(unsafe) let source = audio
      publications.append(await room.publish(source))
    }
    return publications
  }
}
