import NIOCore

/// A monotonic clock, for all timeouts and delays.
package enum Uptime {
    package static func milliseconds() -> Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}
