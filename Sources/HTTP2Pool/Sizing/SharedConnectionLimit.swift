import Threading

/// A bound on the connections of many pools together, such as those to the hundreds of origins of Web Push.
package final class SharedConnectionLimit: Sendable {
    private let free: Mutex<Int>

    package init(_ maximum: Int) {
        free = Mutex(maximum)
    }

    /// - Returns: how many may be opened, at most `wanted`; each is to be released.
    package func take(upTo wanted: Int) -> Int {
        free.withLock { free in
            let taken = min(free, wanted)
            free -= taken
            return taken
        }
    }

    package func release(_ count: Int) {
        free.withLock { $0 += count }
    }
}
