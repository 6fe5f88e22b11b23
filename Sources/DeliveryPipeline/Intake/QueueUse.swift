package import PushModel

/// What this worker has of one queue's prefetch, and whether several apps want some of it. A value.
package struct QueueUse {
    /// How long an app counts after others have come, in seconds.
    private static let memory: Int64 = 600

    /// Jobs started and not settled.
    package var open = 0
    private var latest: ObjectIdentifier?
    private var lastChange: Timestamp?

    package init() {}

    /// A job of an app has come.
    package mutating func seen(_ app: AppUse, now: @autoclosure () -> Timestamp) {
        let id = ObjectIdentifier(app)
        guard latest != id else { return }
        if latest != nil { lastChange = now() }
        latest = id
    }

    /// More than one app has had jobs here lately. One that is alone may have everything.
    package func isShared(now: Timestamp) -> Bool {
        lastChange.map { now.seconds - $0.seconds < Self.memory } ?? false
    }
}
