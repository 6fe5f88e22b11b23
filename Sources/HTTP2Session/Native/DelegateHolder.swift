/// A strong reference to a session's delegate. Weak references would slow down each event.
final class DelegateHolder<Delegate> {
    private final class Box {
        let delegate: Delegate

        init(_ delegate: Delegate) {
            self.delegate = delegate
        }
    }

    private var box: Box?
    // Exclusivity checks are off on this hot path, because only one thread uses this object.
    @exclusivity(unchecked) private var reference: Unmanaged<Box>?

    var delegate: Delegate? {
        get { box?.delegate }
        set {
            box = newValue.map(Box.init)
            reference = box.map(Unmanaged.passUnretained)
        }
    }

    /// Calls the delegate without reference counting, which otherwise takes a tenth of all work on a request. An
    /// immutable property of an object that is certainly alive needs none. ``keepingAlive(_:)`` ensures that it is
    /// alive.
    @inline(__always)
    func tell(_ event: (Delegate) -> Void) {
        reference?._withUnsafeGuaranteedRef { event($0.delegate) }
    }

    /// Keeps the delegate alive during a call of `body`, even if it is replaced meanwhile. Must surround every call of
    /// ``tell(_:)``.
    func keepingAlive(_ body: () throws(HTTP2Error) -> Void) throws(HTTP2Error) {
        let alive = box
        defer { withExtendedLifetime(alive) {} }
        try body()
    }
}
