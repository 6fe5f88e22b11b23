import DeliveryPipeline
import PushModel
import Store

/// A model of the tables `claims` and `device_tokens`. A statement takes a few milliseconds. While the database is
/// unavailable, a statement is retried until it succeeds, as `JobPipeline` does.
///
/// The model leaves out the expiry of claims, row locks, statements that commit without an answer, and commits that a
/// failover loses.
final class ModelDatabase {
    private struct Holder {
        var owner: String
        var content: JobContent?
    }

    private let timeline: Timeline
    private let dice: Dice
    private var claims: [ClaimKey: Holder] = [:]
    private(set) var deadTokens: Set<String> = []
    var isAvailable = true

    init(_ timeline: Timeline, _ dice: Dice) {
        self.timeline = timeline
        self.dice = dice
    }

    /// Claims names as `ClaimRepository.claim(_:)` does.
    func claim(_ requests: [ClaimRequest], answer: @escaping ([ClaimAnswer]) -> Void) {
        execute { [self] in
            // A request with a predecessor takes precedence.
            for request in requests.filter({ $0.predecessor != nil }) + requests.filter({ $0.predecessor == nil }) {
                let held = claims[request.key]
                let passes = held.map { [request.owner, request.predecessor].contains($0.owner) } ?? true
                if passes { claims[request.key] = Holder(owner: request.owner, content: request.content) }
            }
            return requests.map { request in
                guard let holder = claims[request.key] else { return .taken }
                if holder.owner == request.owner { return .claimed }
                guard let held = holder.content, let content = request.content else { return .taken }
                return held == content ? .taken : .differs
            }
        } answer: {
            answer($0)
        }
    }

    func mark(_ marks: [TokenMark], answer: @escaping (Int) -> Void) {
        execute { [self] in
            for mark in marks { deadTokens.insert(mark.key.token) }
            return marks.count
        } answer: {
            answer($0)
        }
    }

    /// Executes a statement, which takes effect halfway through its duration.
    private func execute<Answer>(_ statement: @escaping () -> Answer, answer: @escaping (Answer) -> Void) {
        let half = 500 + dice.wait(mean: 1_000)
        timeline.after(microseconds: half) { [self] in
            guard isAvailable else {
                timeline.after(milliseconds: dice.number(200...10_000)) { [self] in
                    execute(statement, answer: answer)
                }
                return
            }
            let result = statement()
            timeline.after(microseconds: half) { answer(result) }
        }
    }
}
