// swift-tools-version: 6.1
import PackageDescription

/// Pixel, sample and packet loops are unusable unoptimised, and the tests run real video through them. Only on request
/// (`Scripts/build` and `Scripts/test` ask), because packages with such flags cannot be depended on by version.
let hot: [SwiftSetting] =
  Context.environment["CONFAB_OPTIMIZE_DEBUG"] == nil ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
  name: "confab",
  products: [
    .library(name: "ConferenceClient", targets: ["ConferenceClient"]),
    .executable(name: "confab", targets: ["confab"]),
  ],
  targets: [
    // One system module a C library, each with exactly one importer.
    .systemLibrary(name: "CGnome", pkgConfig: "nice"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2"),
    .systemLibrary(name: "CVPX", pkgConfig: "vpx"),
    .systemLibrary(name: "COpus", pkgConfig: "opus"),
    .systemLibrary(name: "CYUV"),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "COgg", pkgConfig: "ogg"),
    .systemLibrary(name: "CSpeex", pkgConfig: "speexdsp"),
    .systemLibrary(name: "CALSA", pkgConfig: "alsa"),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CLinux"),

    // Pure: told bytes and time, drained of outputs.
    .target(name: "RTCCore", swiftSettings: hot),
    .target(name: "Conference", dependencies: ["RTCCore"]),
    .target(name: "Signalling", dependencies: ["Conference", "RTCCore"]),
    // `Sources/Screen/Themes` links to `Themes/`, whose files go into the program.
    .target(
      name: "Screen", dependencies: ["Conference", "RTCCore"], resources: [.embedInCode("Themes")], swiftSettings: hot),

    // Edges: sockets, codecs, sound card, terminal.
    .target(name: "Transport", dependencies: ["RTCCore", "CGnome", "COpenSSL", "CSRTP"], swiftSettings: hot),
    .target(
      name: "Media", dependencies: ["RTCCore", "CVPX", "COpus", "CSpeex", "CYUV", "CPNG", "COgg", "CALSA"],
      swiftSettings: hot),
    .target(name: "Terminal", dependencies: ["Screen", "RTCCore", "CNcurses", "CLinux"], swiftSettings: hot),

    // Together.
    .target(
      name: "ConferenceClient", dependencies: ["Signalling", "Conference", "Transport", "Media", "RTCCore"]),
    .target(name: "RoomServer", dependencies: ["Transport", "Signalling", "RTCCore"], swiftSettings: hot),

    // Programs.
    .executableTarget(
      name: "confab",
      dependencies: [
        "ConferenceClient", "RoomServer", "Terminal", "Screen", "Media", "Transport", "Signalling", "Conference",
        "RTCCore",
      ]),

    // What `Docs/watching-a-stream.md` shows.
    .executableTarget(
      name: "watch-stream", dependencies: ["ConferenceClient", "Conference"], path: "Examples/watch-stream"),

    .target(name: "TestKit", dependencies: ["RTCCore", "Screen", "Signalling"], swiftSettings: hot),
    // A stream service for tests. Never in a product.
    .target(
      name: "StreamLab", dependencies: ["Transport", "Media", "Signalling", "RTCCore"], path: "Tests/StreamLab",
      swiftSettings: hot),
    .testTarget(name: "RTCCoreTests", dependencies: ["RTCCore", "TestKit"]),
    .testTarget(name: "ConferenceTests", dependencies: ["Conference", "TestKit"]),
    .testTarget(name: "SignallingTests", dependencies: ["Signalling", "TestKit"]),
    .testTarget(name: "ScreenTests", dependencies: ["Screen", "TestKit"]),
    .testTarget(name: "TransportTests", dependencies: ["Transport", "TestKit"]),
    // Reads back with libpng what was written with it.
    .testTarget(name: "MediaTests", dependencies: ["Media", "TestKit", "CPNG"]),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestKit"]),
    .testTarget(name: "RoomServerTests", dependencies: ["RoomServer", "TestKit"]),
    .testTarget(
      name: "ConferenceClientTests",
      dependencies: [
        "ConferenceClient", "RoomServer", "Conference", "Media", "Signalling", "Transport", "RTCCore", "TestKit",
        "StreamLab",
      ]),
    .testTarget(name: "ConfabTests", dependencies: ["confab", "Media"]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["confab", "watch-stream", "TestKit", "StreamLab"], exclude: ["Peers"]),
  ],
  swiftLanguageModes: [.v6]
)
