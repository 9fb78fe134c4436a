internal import CGnome

/// TCP connections whose other end cannot keep the network thread for itself, or fill our memory.
///
/// libsoup reads a connection until there is nothing more to read, so somebody who sends without a pause would be read for
/// ever: no timer would fire, no packet would be forwarded. A paced connection says after ``portion`` bytes that there is no
/// more for now, and everybody else has their turn. Who brings more than ``burst`` at once, and ``rate`` a second after
/// that, is cut off: what comes this way is signalling.
///
/// The pace is kept below TLS, for connections that we make and that we take.
enum PacedConnection {
  /// Bytes that are read in one go: the messages of a call; a few milliseconds' worth of the smallest WebSocket frames.
  static let portion = 4 << 10
  /// Bytes that may come at once: the largest message that is taken, with its frames and TLS.
  static let burst = WebSocketConnection.maximumMessage + 256 << 10
  /// Bytes a second that may come in the long run. The signalling of a call brings a tenth at its busiest.
  static let rate = 128 << 10

  /// Makes every TCP connection of GLib's a paced one, from the first call on.
  ///
  /// libsoup makes its connections by GLib's own factory, which takes no other type for TCP (registering one again leaves it
  /// with memory that it has freed, as of GLib 2.74), so the class of TCP connections itself gives out paced input.
  static let install: Void = {
    guard let tcp = g_type_class_ref(g_tcp_connection_get_type()) else { return }
    tcp.assumingMemoryBound(to: GIOStreamClass.self).pointee.get_input_stream = { $0.flatMap(PacedConnection.input) }
  }()

  private static let inputKey = "confab-paced-input"

  /// Bytes that have come over a connection; nil for one that is not paced, or has not been read from.
  static func received(_ connection: UnsafeMutablePointer<GSocketConnection>) -> Int? {
    g_object_get_data(UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self), inputKey)
      .map { PacedInput.state(of: $0).pointee.received }
  }

  private static func input(
    of stream: UnsafeMutablePointer<GIOStream>
  ) -> UnsafeMutablePointer<GInputStream>? {
    let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
    if let known = g_object_get_data(object, inputKey) { return known.assumingMemoryBound(to: GInputStream.self) }
    let parent = g_type_class_peek(g_socket_connection_get_type())?.assumingMemoryBound(to: GIOStreamClass.self)
    guard let socketInput = parent?.pointee.get_input_stream(stream),
      let input = confab_filter_input_new(PacedInput.type, socketInput)
    else { return nil }
    g_object_set_data_full(object, inputKey, input, { g_object_unref($0) })
    return input
  }
}

/// What is read from a ``PacedConnection``.
private enum PacedInput {
  /// Behind GLib's own part of the object, which GLib fills with zeros.
  struct State {
    /// Bytes in all.
    var received: Int
    /// Bytes of the portion that is under way.
    var taken: Int
    /// Bytes beyond what ``PacedConnection/rate`` had allowed at ``countedAt``.
    var debt: Int
    /// In microseconds of GLib's clock.
    var countedAt: Int
  }

  static let type: GType = {
    let type = g_type_register_static_simple(
      g_filter_input_stream_get_type(), "ConfabPacedInput", guint(MemoryLayout<GFilterInputStreamClass>.size), nil,
      guint(stateOffset + MemoryLayout<State>.size), nil, GTypeFlags(rawValue: 0))
    var pollable = GInterfaceInfo(
      interface_init: { interface, _ in
        guard let interface = interface?.assumingMemoryBound(to: GPollableInputStreamInterface.self) else { return }
        interface.pointee.is_readable = { stream in
          guard let stream, let base = PacedInput.base(stream) else { return 0 }
          return g_pollable_input_stream_is_readable(base)
        }
        interface.pointee.create_source = { stream, cancellable in
          stream.flatMap { PacedInput.source(of: $0, cancellable) }
        }
        interface.pointee.read_nonblocking = { stream, buffer, count, error in
          stream.map { PacedInput.read($0, buffer, count, error) } ?? -1
        }
      }, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, g_pollable_input_stream_get_type(), &pollable)
    return type
  }()

  private static let stateOffset =
    (MemoryLayout<GFilterInputStream>.size + MemoryLayout<State>.alignment - 1) / MemoryLayout<State>.alignment
    * MemoryLayout<State>.alignment

  static func state(of stream: UnsafeMutableRawPointer) -> UnsafeMutablePointer<State> {
    stream.advanced(by: stateOffset).assumingMemoryBound(to: State.self)
  }

  private static func base(_ stream: OpaquePointer) -> OpaquePointer? {
    let filter = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GFilterInputStream.self)
    return filter.pointee.base_stream.map { OpaquePointer($0) }
  }

  /// Ready whenever the socket is: that a portion is over says nothing about the next.
  private static func source(
    of stream: OpaquePointer, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) -> UnsafeMutablePointer<GSource>? {
    guard let base = base(stream), let ready = g_pollable_input_stream_create_source(base, nil) else { return nil }
    defer { g_source_unref(ready) }
    return g_pollable_source_new_full(UnsafeMutableRawPointer(stream), ready, cancellable)
  }

  private static func read(
    _ stream: OpaquePointer, _ buffer: UnsafeMutableRawPointer?, _ count: gsize,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> gssize {
    let state = state(of: UnsafeMutableRawPointer(stream))
    guard let base = base(stream) else { return -1 }
    guard state.pointee.taken < PacedConnection.portion else {
      state.pointee.taken = 0
      g_set_error_literal(error, g_io_error_quark(), gint(G_IO_ERROR_WOULD_BLOCK.rawValue), "the portion is over")
      return -1
    }
    guard isWithinBounds(state) else {
      g_set_error_literal(
        error, g_io_error_quark(), gint(G_IO_ERROR_CONNECTION_CLOSED.rawValue), "more comes than signalling ever brings"
      )
      return -1
    }
    let room = PacedConnection.portion - state.pointee.taken
    let received = g_pollable_input_stream_read_nonblocking(base, buffer, min(count, gsize(room)), nil, error)
    guard received > 0 else {
      state.pointee.taken = 0
      return received
    }
    state.pointee.taken += received
    state.pointee.debt += received
    state.pointee.received &+= received
    return received
  }

  /// Forgives what the time that has passed allows.
  private static func isWithinBounds(_ state: UnsafeMutablePointer<State>) -> Bool {
    let now = g_get_monotonic_time()
    let allowed = Double(now - state.pointee.countedAt) / 1e6 * Double(PacedConnection.rate)
    // Fractions of a byte are kept by not moving the clock for them.
    guard allowed >= 1 else { return state.pointee.debt < PacedConnection.burst }
    state.pointee.debt = max(0, state.pointee.debt - Int(min(allowed, Double(PacedConnection.burst))))
    state.pointee.countedAt = now
    return state.pointee.debt < PacedConnection.burst
  }
}
