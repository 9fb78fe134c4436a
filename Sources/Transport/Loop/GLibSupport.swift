internal import CGnome
import RTCCore

/// A signal handler's connection with the context of `object`; the signal gives the context back when it goes.
///
/// - Parameter handler: a C function with the signal's own arguments, then the context.
func connectSignal<Object: AnyObject>(
  _ instance: UnsafeMutableRawPointer, _ signal: String, to object: Object, _ handler: GCallback
) {
  g_signal_connect_data(
    instance, signal, handler, CallbackContext(object).retained(),
    { data, _ in AnyCallbackContext.release(data) }, GConnectFlags(rawValue: 0))
}

/// A function of GLib that wants to know no more than its data.
func signalHandler<Function>(_ function: Function) -> GCallback { unsafeBitCast(function, to: GCallback.self) }

/// A numeric address, with `localhost` and bracketed IPv6 allowed.
func numericAddress(_ text: String) -> String {
  if text == "localhost" { return "127.0.0.1" }
  return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
}

extension IPAddress {
  /// An address to listen on: numeric, in brackets if one likes, or `localhost`.
  public init?(listening text: String) { self.init(numericAddress(text)) }
}
