import Foundation
import Foundations

/// A clock that advances only when the test moves it.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date {
        time.withLock { $0 }
    }

    func advance(minutes: Double) {
        time.withLock { $0 += minutes * 60 }
    }
}
