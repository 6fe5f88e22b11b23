import Dispatch
import Testing
import Threading

/// Of the standard library's, and under the thread sanitizer of ours that takes its place.
struct MutexTests {
    @Test func letsInOneAtATime() {
        let count = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8_000)
    }

    @Test func isFreeAfterAnError() {
        struct Failure: Error {}
        let value = Mutex("a")
        #expect(throws: Failure.self) { try value.withLock { _ throws(Failure) in throw Failure() } }
        #expect(value.withLock { $0 } == "a")
    }

    @Test func letsGoOfItsValue() {
        final class Value: Sendable {}
        weak var seen: Value?
        do {
            let mutex = Mutex(Value())
            seen = mutex.withLock { $0 }
            #expect(seen != nil)
        }
        #expect(seen == nil)
    }
}
