/// A holder of a strong reference to a session's delegate. A weak reference would slow down each call.
final class DelegateHolder<Delegate> {
    private final class Box {
        let delegate: Delegate

        init(_ delegate: Delegate) {
            self.delegate = delegate
        }
    }

    private var box: Box?
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) private var reference: Unmanaged<Box>?

    var delegate: Delegate? {
        get { box?.delegate }
        set {
            box = newValue.map(Box.init)
            reference = box.map(Unmanaged.passUnretained)
        }
    }

    /// Calls the delegate without reference counting, which would take a tenth of the CPU time of a request. The
    /// delegate is an immutable property of a box, so only the box must stay alive. ``keepingAlive(_:)`` ensures that.
    @inline(__always)
    func notify(_ event: (Delegate) -> Void) {
        reference?._withUnsafeGuaranteedRef { event($0.delegate) }
    }

    /// Keeps the delegate alive during a call of `body`, even if it is replaced meanwhile. Every call of ``notify(_:)``
    /// must be made inside `body`.
    func keepingAlive(_ body: () throws(HTTP2Error) -> Void) throws(HTTP2Error) {
        let alive = box
        defer { withExtendedLifetime(alive) {} }
        try body()
    }
}
