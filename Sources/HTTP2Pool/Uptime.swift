import NIOCore

/// A clock that never jumps, for everything that is waited for.
package enum Uptime {
    package static func milliseconds() -> Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}
