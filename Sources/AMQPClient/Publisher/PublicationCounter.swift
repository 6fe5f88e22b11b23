import Foundations

/// A counter of the publications without a confirm, refusal or return. Any thread may read it.
final class PublicationCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ number: Int) {
        count.add(number, ordering: .relaxed)
    }

    func subtract(_ number: Int) {
        count.subtract(number, ordering: .relaxed)
    }
}
