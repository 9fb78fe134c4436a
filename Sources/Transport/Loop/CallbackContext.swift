/// What a C library hands back to a callback: the way to an object that may be gone by then.
///
/// The library owns one reference to the context, never to the object.
final class CallbackContext<Object: AnyObject>: AnyCallbackContext {
  private weak var object: Object?

  init(_ object: Object) { self.object = object }

  /// The object of a context that is still owned by the library.
  static func object(_ data: UnsafeMutableRawPointer?) -> Object? {
    guard let data else { return nil }
    return Unmanaged<CallbackContext<Object>>.fromOpaque(data).takeUnretainedValue().object
  }
}

/// The part that does not depend on the object's type, which C functions cannot capture.
class AnyCallbackContext {
  /// A reference for the library, to be given back by ``release``.
  func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// Libraries give contexts back on whatever thread lets go of the last use, so this belongs to no actor.
  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    if let data { Unmanaged<AnyCallbackContext>.fromOpaque(data).release() }
  }
}
