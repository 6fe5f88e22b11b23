/// Holds a session's delegate, strongly: weak references would slow each event down.
final class DelegateHolder<Delegate> {
    private final class Box {
        let delegate: Delegate

        init(_ delegate: Delegate) {
            self.delegate = delegate
        }
    }

    private var box: Box?
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) private var reference: Unmanaged<Box>?

    var delegate: Delegate? {
        get { box?.delegate }
        set {
            box = newValue.map(Box.init)
            reference = box.map(Unmanaged.passUnretained)
        }
    }

    /// Calls the delegate without reference counting, which is a tenth of all the work on a request otherwise:
    /// an immutable property of an object that is surely alive needs none. That it is, ``keepingAlive(_:)`` sees to.
    @inline(__always)
    func tell(_ event: (Delegate) -> Void) {
        reference?._withUnsafeGuaranteedRef { event($0.delegate) }
    }

    /// Around whatever may ``tell(_:)``: keeps the delegate alive, also when it is replaced meanwhile.
    func keepingAlive(_ body: () throws(HTTP2Error) -> Void) throws(HTTP2Error) {
        let alive = box
        defer { withExtendedLifetime(alive) {} }
        try body()
    }
}
