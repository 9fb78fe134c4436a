import Glibc
import RTCCore

/// The machine's own addresses.
enum LocalInterfaces {
  /// Where peers can reach a socket bound to `address`: that one itself, or for a wildcard every usable address, but
  /// loopback only when there is no other.
  static func addresses(reachableAt address: String) -> [IPAddress] {
    guard let bound = IPAddress(address) else { return [] }
    let candidates: [IPAddress]
    switch bound {
    case .v4(0): candidates = usable().filter { if case .v4 = $0 { true } else { false } }
    case .v6(high: 0, low: 0): candidates = usable()
    default: return [bound]
    }
    let external = candidates.filter { !isLoopback($0) }
    return external.isEmpty ? candidates : external
  }

  /// The addresses of interfaces that are up, loopback included; link-local ones say nothing without their interface.
  static func usable() -> [IPAddress] {
    all().filter { address in
      switch address {
      case .v4: true
      case .v6(let high, _): high >> 54 != 0xFE80 >> 6
      }
    }
  }

  static func isLoopback(_ address: IPAddress) -> Bool {
    switch address {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }

  private static func all() -> [IPAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: [IPAddress] = []
    var node = list
    while let current = node {
      node = current.pointee.ifa_next
      guard current.pointee.ifa_flags & UInt32(IFF_UP) != 0, let address = current.pointee.ifa_addr else {
        continue
      }
      let value: IPAddress? =
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
          address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            IPAddress(bytes: withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) })
          }
        case AF_INET6:
          address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            IPAddress(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
          }
        default: nil
        }
      if let value, !addresses.contains(value) { addresses.append(value) }
    }
    return addresses
  }
}
