import Dispatch
import Testing
import Foundations

/// Tests of `Mutex`: the standard library's, or Martlet's own when the thread sanitizer is on.
struct MutexTests {
    @Test func excludesConcurrentAccess() {
        let count = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8_000)
    }

    @Test func unlocksAfterThrownError() {
        struct Failure: Error {}
        let value = Mutex("a")
        #expect(throws: Failure.self) { try value.withLock { _ throws(Failure) in throw Failure() } }
        #expect(value.withLock { $0 } == "a")
    }

    @Test func releasesValueWhenDestroyed() {
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
