import Metering
import Observability
import Testing

/// Tests of the detection of pool problems. The tests increase the pools' counters in a metric registry.
struct PoolProblemDetectorTests {
    /// The counters of one pool.
    private struct Pool {
        let streams, accepted, refused, failed, slow: MetricCell

        init(_ registry: MetricRegistry, _ output: String, _ credential: String, host: String = "") {
            let labels = [output, credential, "production", host]
            streams = registry.cell(.poolStreams, labels)
            accepted = registry.cell(.poolAnswers, labels + ["accepted"])
            refused = registry.cell(.poolAnswers, labels + ["refused"])
            failed = registry.cell(.poolAnswers, labels + ["failed"])
            slow = registry.cell(.poolSlowAnswers, labels)
        }
    }

    private let registry = MetricRegistry()
    private let start = ContinuousClock.now

    /// Evaluates the counters every two seconds from `first` to `last` and calls `count` before each evaluation.
    private func watch(
        _ watch: inout PoolProblemDetector, from first: Int, through last: Int, isAnyPushDelayed: Bool = true,
        _ count: (Int) -> Void = { _ in }
    ) -> [PoolTrouble] {
        for second in stride(from: first, through: last, by: 2) {
            count(second)
            watch.look(
                at: registry.page(of: PoolProblemDetector.families), isAnyPushDelayed: isAnyPushDelayed,
                now: start + .seconds(second))
        }
        return watch.troubles
    }

    @Test func reportsSilentServerUntilAnswer() {
        let (silent, busy) = (Pool(registry, "hook", "1"), Pool(registry, "hook", "2"))
        var watch = PoolProblemDetector()
        silent.streams.add(1_573)
        #expect(self.watch(&watch, from: 0, through: 24) { _ in busy.accepted.add(10) }.isEmpty)
        let found = self.watch(&watch, from: 26, through: 26) { _ in busy.accepted.add(10) }
        #expect(
            found == [
                PoolTrouble(
                    output: "hook", environment: "production", names: ["1"], kind: .silent(seconds: 26),
                    answers: 0, concerned: 1_573)
            ], "traffic of another credential must not hide the problem")
        silent.streams.add(-1_573)
        #expect(
            self.watch(&watch, from: 28, through: 200) { _ in busy.accepted.add(10) }.map(\.kind)
                == [.silent(seconds: 200)], "pushes still wait, though no request is in flight")
        silent.accepted.add()
        #expect(self.watch(&watch, from: 202, through: 202).isEmpty)
    }

    @Test func forgetsSilentServerWhenNoPushWaits() {
        let pool = Pool(registry, "apns", "1")
        var watch = PoolProblemDetector()
        pool.streams.add(3)
        #expect(self.watch(&watch, from: 0, through: 30).map(\.concerned) == [3])
        pool.streams.add(-3)
        #expect(self.watch(&watch, from: 32, through: 32, isAnyPushDelayed: false).isEmpty)
    }

    @Test func restartsTimeoutAfterAnswer() {
        let pool = Pool(registry, "apns", "1")
        var watch = PoolProblemDetector()
        pool.streams.add(1)
        #expect(
            self.watch(&watch, from: 0, through: 48) { if $0 == 24 { pool.accepted.add() } }.isEmpty,
            "an answer came after 24 s")
    }

    /// The pool tries to connect to a failing server at growing intervals.
    @Test func reportsFailingServerThatIsTriedOnceAMinute() {
        let pool = Pool(registry, "hook", "1")
        var watch = PoolProblemDetector()
        let found = self.watch(&watch, from: 0, through: 600) {
            if $0 <= 8 || $0.isMultiple(of: 60) { pool.failed.add() }
        }
        #expect(found.map(\.kind) == [.failing] && found.first?.names == [])
        #expect(self.watch(&watch, from: 602, through: 602, isAnyPushDelayed: false).isEmpty, "no push waits")
    }

    @Test func reportsFailingCredentialBesideOthers() {
        let (bad, good) = (Pool(registry, "hook", "1"), Pool(registry, "hook", "2"))
        var watch = PoolProblemDetector()
        let found = self.watch(&watch, from: 0, through: 20) { _ in
            bad.failed.add()
            good.accepted.add(1_000)
        }
        #expect(found.map(\.names) == [["1"]] && found.first?.concerned == 10)
        #expect(
            self.watch(&watch, from: 22, through: 82, { _ in bad.accepted.add() }).isEmpty, "pool 1 has answered since")
    }

    @Test func reportsFailingHostDespiteHealthyHost() {
        let (bad, good) = (Pool(registry, "web", "", host: "a.example"), Pool(registry, "web", "", host: "b.example"))
        var watch = PoolProblemDetector()
        let found = self.watch(&watch, from: 0, through: 20) { _ in
            bad.failed.add()
            good.accepted.add(1_000)
        }
        #expect(found.map(\.names) == [["a.example"]] && found.first?.concerned == 10)
    }

    @Test func joinsPoolsThatFailTogether() {
        let pools = (1...8).map { Pool(registry, "hook", "\($0)") }
        var watch = PoolProblemDetector()
        let all = self.watch(&watch, from: 0, through: 20) { _ in for pool in pools { pool.failed.add() } }
        #expect(all.map(\.names) == [[]] && all.first?.answers == 80)
        let four = self.watch(&watch, from: 22, through: 100) { _ in
            for pool in pools[..<4] { pool.failed.add() }
            for pool in pools[4...] { pool.accepted.add() }
        }
        #expect(four.map(\.names) == [["1", "2", "3", "4"]])
    }

    @Test func reportsServerThatRejectsOrIsSlow() {
        let (rejecting, slow, fine) = (
            Pool(registry, "apns", "1"), Pool(registry, "fcm", "2"), Pool(registry, "webpush", "")
        )
        var watch = PoolProblemDetector()
        let found = self.watch(&watch, from: 0, through: 20) { _ in
            rejecting.refused.add()
            slow.accepted.add()
            slow.slow.add()
            fine.accepted.add(9)
            fine.refused.add(8)
        }
        #expect(found.map(\.output) == ["apns", "fcm"] && found.map(\.kind) == [.rejecting, .slow])
    }

    @Test func ignoresFewBadAnswers() {
        let pool = Pool(registry, "fcm", "1")
        var watch = PoolProblemDetector()
        let found = self.watch(&watch, from: 0, through: 60) { second in
            pool.accepted.add(10)
            if second.isMultiple(of: 4) { pool.failed.add() }
        }
        #expect(found.isEmpty)
    }

    /// The first answers of the pool arrive between two evaluations.
    @Test func countsFirstAnswersOfNewPool() {
        var watch = PoolProblemDetector()
        _ = self.watch(&watch, from: 0, through: 10)
        let pool = Pool(registry, "hook", "1")
        pool.failed.add(5)
        #expect(self.watch(&watch, from: 12, through: 12).map(\.concerned) == [5])
    }

    @Test func forgetsSilentServerWithoutTraffic() {
        let pool = Pool(registry, "hook", "1")
        var watch = PoolProblemDetector()
        pool.streams.add(1)
        #expect(self.watch(&watch, from: 0, through: 30).count == 1)
        pool.streams.add(-1)
        #expect(self.watch(&watch, from: 32, through: 980).count == 1)
        #expect(self.watch(&watch, from: 982, through: 1_000).isEmpty)
    }
}
