/// Session descriptions in the manner of real peers; addresses, keys and names are made up.
enum SDPFixture {
  static let fingerprint = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    .joined(separator: ":")

  private static func crlf(_ text: String) -> String {
    text.split(separator: "\n").map { "\($0)\r\n" }.joined()
  }

  /// What a browser built on libwebrtc offers: Opus with RED, VP8 with RTX, RED and ULPFEC in three simulcast layers,
  /// and data channels.
  static let chromeOffer = crlf(
    """
    v=0
    o=- 4611731400430051336 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2
    a=extmap-allow-mixed
    a=msid-semantic: WMS stream-1
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:EsAw
    a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
    a=ice-options:trickle
    a=fingerprint:sha-256 \(fingerprint)
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:stream-1 track-audio
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
    a=ssrc:3570614608 msid:stream-1 track-audio
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 116
    c=IN IP4 0.0.0.0
    b=AS:2500
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:EsAw
    a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
    a=ice-options:trickle
    a=fingerprint:sha-256 \(fingerprint)
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=sendonly
    a=msid:stream-1 track-video
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:102 red/90000
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:116 ulpfec/90000
    a=rid:q send
    a=rid:h send max-width=640;max-height=360
    a=rid:f send pt=96,97;max-fps=30
    a=simulcast:send q;h;~f
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=ice-ufrag:EsAw
    a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
    a=ice-options:trickle
    a=fingerprint:sha-256 \(fingerprint)
    a=setup:actpass
    a=mid:2
    a=sctp-port:5000
    a=max-message-size:262144
    """)

  /// A LiveKit server's offer to a subscriber: transport attributes at the session or in each section, sources listed,
  /// no mid extension, an old section inactive.
  static let liveKitOffer = crlf(
    """
    v=0
    o=- 3846259273482713 1720000000 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=msid-semantic:WMS *
    a=fingerprint:sha-256 \(fingerprint)
    a=extmap-allow-mixed
    a=group:BUNDLE 0 1 2
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=mid:0
    a=sendrecv
    a=sctp-port:5000
    a=max-message-size:65536
    a=ice-ufrag:mnBGsUvvQgCkbSwm
    a=ice-pwd:kJnBvXzGfTrEwQaSdFgHjKlPoIuYtRwE
    m=video 9 UDP/TLS/RTP/SAVPF 96 97
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=mid:1
    a=ice-ufrag:mnBGsUvvQgCkbSwm
    a=ice-pwd:kJnBvXzGfTrEwQaSdFgHjKlPoIuYtRwE
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtcp-fb:96 goog-remb
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=extmap:1 https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=ssrc-group:FID 1001 1002
    a=ssrc:1001 cname:PA_alice|TR_camera
    a=ssrc:1001 msid:PA_alice|TR_camera TR_camera
    a=ssrc:1002 cname:PA_alice|TR_camera
    a=msid:PA_alice|TR_camera TR_camera
    a=sendonly
    m=audio 9 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=mid:2
    a=ice-ufrag:mnBGsUvvQgCkbSwm
    a=ice-pwd:kJnBvXzGfTrEwQaSdFgHjKlPoIuYtRwE
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 minptime=10;useinbandfec=1
    a=inactive
    """)

  /// aiortc: candidates in the description, sections without BUNDLE-only habits, ports of its own.
  static let aiortcOffer = crlf(
    """
    v=0
    o=- 3929481723 3929481723 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0 1
    a=msid-semantic:WMS *
    m=audio 46011 UDP/TLS/RTP/SAVPF 96 0 8
    c=IN IP4 192.0.2.15
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:0
    a=msid:0ba3a2b4-97be-4d4b-8b2b-57c4c2ab1d5f b5c3f0e2-3d92-4d9b-9b9d-3d3b1e4d1b6a
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:1943827161 cname:6f7fdd5e-a3d5-4a95-8a8b-5d4e4a0a5c31
    a=rtpmap:96 opus/48000/2
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=candidate:8a3f4e1b 1 udp 2130706431 192.0.2.15 46011 typ host
    a=candidate:2c7d9a60 1 udp 1694498815 198.51.100.7 46011 typ srflx raddr 192.0.2.15 rport 46011
    a=end-of-candidates
    a=ice-ufrag:vTqR
    a=ice-pwd:d9mWEXfdRDQDGSBcuWNDM8
    a=fingerprint:sha-256 \(fingerprint)
    a=fingerprint:sha-384 \(fingerprint):\(fingerprint.prefix(47))
    a=setup:actpass
    m=video 46011 UDP/TLS/RTP/SAVPF 97 98
    c=IN IP4 192.0.2.15
    a=recvonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=mid:1
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=rtpmap:97 VP8/90000
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 goog-remb
    a=rtpmap:98 rtx/90000
    a=fmtp:98 apt=97
    """)
}
