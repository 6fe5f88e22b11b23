import Foundations

/// A flag that can be set from any thread and is never cleared.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets the flag.
    ///
    /// - Returns: whether the flag was not set before.
    @discardableResult func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
