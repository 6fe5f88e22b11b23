import OutcomeLedger
import PushModel
import Store
import Testing
import Routing

@Suite struct ExplanationTests {
    private static let at = Timestamp(milliseconds: 1_795_168_800_123)

    private func row(_ kind: String, reason: String? = nil) -> LedgerRow {
        var row = LedgerRow(at: Self.at, kind: kind, job: "order-1")
        row.output = "push"
        row.reason = reason
        row.providerID = kind == "sent" ? "id-1" : nil
        return row
    }

    private func facts(asksOne: Bool = true, _ change: (inout JobFacts) -> Void) -> JobFacts {
        var facts = JobFacts(job: "order-1", asksOne: asksOne)
        facts.ledger = JobFacts.Ledger(begin: LedgerBegin(first: Self.at))
        facts.dead = .some(nil)
        facts.cancellation = .some(nil)
        facts.app = .known(App(bundleID: "com.example.shop"), faults: [])
        facts.tokens = []
        facts.waiting = []
        change(&facts)
        return facts
    }

    @Test(
        arguments: [
            ("sent", nil, "push accepted the push at 2026-11-20T10:00:00.123Z, with id id-1"),
            ("unregistered", "Gone", "push reported the token as dead at 2026-11-20T10:00:00.123Z: Gone"),
            ("suppressed", nil, "it was not sent (the token is marked dead) at 2026-11-20T10:00:00.123Z"),
            ("rejected", "BadX", "it was permanently rejected at 2026-11-20T10:00:00.123Z: BadX"),
            ("failed", "Cancelled", "it failed and was not accepted at 2026-11-20T10:00:00.123Z: Cancelled"),
            ("unknown", "Lost", "it may have been accepted (the answer was lost) at 2026-11-20T10:00:00.123Z: Lost"),
            (
                "expired", nil,
                "it expired (no attempt was possible before its deadline) at 2026-11-20T10:00:00.123Z"
            ),
        ] as [(String, String?, String)])
    func givesOutcomeAsCause(kind: String, reason: String?, cause: String) {
        let explanation = Explanation(
            facts {
                $0.ledger?.rows = [row(kind, reason: reason)]
                // The present state of the app does not matter for a job that has ended.
                $0.app = .known(App(bundleID: "com.example.shop", isPaused: true), faults: [])
            })
        #expect(explanation.cause == cause && explanation.found && explanation.advice != nil)
    }

    /// The outcome may be published but not stored yet, even if another cause is possible.
    @Test(arguments: [(1, true, "is not running: 1 event waits"), (4, false, "is behind: 4 events wait")])
    func reportsLedgerBacklogFirst(events: Int, isUnread: Bool, said: String) {
        let explanation = Explanation(
            facts {
                $0.backlog = JobFacts.Backlog(queue: "martlet.ledger", events: events, isUnread: isUnread)
                $0.app = .known(App(bundleID: "com.example.shop", isPaused: true), faults: [])
            })
        #expect(!explanation.found && explanation.cause.hasPrefix("the ledger \(said) in martlet.ledger"))
        #expect(explanation.checked.contains { $0.what == "ledger's queue" && $0.found.hasPrefix("\(events) in") })
    }

    /// The broker's count of ready messages excludes the events that the ledger has received.
    @Test(arguments: [true, false]) func mentionsLedgerThatMayHoldEvent(isUnread: Bool) {
        let explanation = Explanation(
            facts { $0.backlog = JobFacts.Backlog(queue: "martlet.ledger", events: 0, isUnread: isUnread) })
        #expect(
            explanation.cause.contains("a worker has it, the ledger has received its outcome but not yet stored it, or")
                == !isUnread)
        #expect(explanation.cause.hasPrefix("no record was found: either"))
        #expect(
            explanation.checked.first { $0.what == "ledger's queue" }?.found
                == "0 in martlet.ledger, "
                + (isUnread ? "which has no consumer" : "without events that the ledger has received"))
    }

    @Test func mentionsThatJobMayHaveEndedBeforeLedgerStarted() {
        let cause = Explanation(facts { $0.ledger?.begin = LedgerBegin(first: nil) }).cause
        #expect(cause.hasSuffix("it ended before the ledger was started (the ledger has no rows yet)"))
    }

    @Test(arguments: [true, false]) func addsCurrentFaultOfAppToMatchingFailure(isStill: Bool) {
        let lack = JobFacts.AppFault("team A has no credential", of: "push", todo: "Give it one.")
        func explanation(_ reason: String) -> Explanation {
            Explanation(
                facts {
                    $0.ledger?.rows = [row("failed", reason: reason)]
                    $0.app = .known(App(bundleID: "com.example.shop"), faults: isStill ? [lack] : [])
                })
        }
        let reported = explanation("NoCredential")
        #expect(
            reported.found && reported.cause.hasSuffix(isStill ? ": NoCredential; now \(lack.text)" : ": NoCredential"))
        #expect((reported.advice == "Give it one.") == isStill)
        #expect(explanation("RetriesExhausted").cause.hasSuffix(": RetriesExhausted"))
    }

    /// A fault is named as the cause only if it affects the job's output or, if that is unknown, all the app's outputs.
    /// Any other fault is only listed in the table.
    @Test(
        arguments: [
            ("push", ["push"], true), ("other", ["push"], false), (nil, ["push"], false),
            (nil, ["push", "other"], true),
        ] as [(String?, [String], Bool)])
    func namesOnlyFaultsOfTheJobsOutputs(output: String?, faulty: [String], isCause: Bool) {
        var app = App(bundleID: "com.example.shop")
        app.accounts = ["push": AppAccount("A"), "other": AppAccount("B")]
        let explanation = Explanation(
            facts {
                $0.output = output
                $0.app = .known(app, faults: faulty.map { JobFacts.AppFault("\($0) refuses it", of: $0) })
            })
        let words = faulty.map { "\($0) refuses it" }.joined(separator: "; ")
        #expect(explanation.cause.hasSuffix("; now " + words) == isCause, "\(explanation.cause)")
        #expect(explanation.checked.first { $0.what == "app" }?.found == "com.example.shop: " + words)
    }

    @Test(arguments: [
        (0, "a worker has it, or"), (1, "a worker has it (workers have 1 job), or"),
        (1_573, "a worker has it (workers have 1573 jobs), or"),
    ])
    func statesNumberOfJobsHeldByWorkers(inHand: Int, said: String) {
        func explanation(waits: Int = 0, ledger: Bool = true) -> Explanation {
            Explanation(
                facts {
                    $0.inHand = inHand
                    $0.waiting = waits > 0 ? [JobFacts.Waiting(queue: "martlet.delay.21600", messages: waits)] : []
                    if !ledger { $0.ledger = JobFacts.Ledger() }
                })
        }
        #expect(explanation().cause.contains(said))
        let unkept = explanation(ledger: false).cause
        #expect(unkept.contains("a worker has it (workers have \(inHand) ") == (inHand > 0))
        #expect(unkept.hasSuffix(", or it has ended"))
        let among = explanation(waits: 2)
        #expect(among.cause.contains(", it waits in the broker (2 in martlet.delay.21600), a worker has it"))
        #expect(among.checked.first { $0.what == "workers" }?.found.hasPrefix("\(inHand) job") == true)
    }

    /// A job that reuses an id with different content is rejected, and the explanation mentions it.
    @Test func mentionsRejectedJobOfSameID() {
        let explanation = Explanation(
            facts {
                $0.ledger?.rows = [row("sent")]
                $0.dead = .some(JobFacts.Dead(app: "a", reason: "id: was used by another job"))
            })
        #expect(
            explanation.cause
                == "push accepted the push at 2026-11-20T10:00:00.123Z, with id id-1; a job with this id was rejected and is in "
                + "the dead-letter queue: id: was used by another job")
        #expect(explanation.advice?.hasPrefix("Check that the device is online") == true)
    }

    @Test func namesProblemsOfWorkersWithWaitingJobs() {
        let explanation = Explanation(
            facts {
                $0.waiting = [JobFacts.Waiting(queue: "martlet.delay.30", messages: 1)]
                $0.problems = ["network: No connection: push production: push.example:443: Connection refused."]
            })
        #expect(explanation.cause.hasPrefix("no record was found: either it never arrived, it waits in the broker"))
        #expect(
            explanation.cause.hasSuffix(
                "; workers report: network: No connection: push production: push.example:443: Connection refused."))
        #expect(explanation.advice?.contains("martlet doctor") == true)
    }

    /// The broker cannot be queried for one job. A message that waits in a queue may belong to any other job.
    @Test(arguments: [true, false]) func doesNotGuessThatEndedJobWaits(hasLedger: Bool) {
        let explanation = Explanation(
            facts {
                $0.app = .unnamed
                $0.waiting = [JobFacts.Waiting(queue: "martlet.delay.30", messages: 1)]
                if !hasLedger { $0.ledger = JobFacts.Ledger() }
            })
        #expect(!explanation.found && !explanation.cause.contains("may be one of"))
        let beginning =
            hasLedger
            ? "no record was found: either it never arrived, it waits in the broker (1 in martlet.delay.30), "
            : "there is no outcome ledger ('martlet ledger' creates one), so outcomes are not recorded; either it "
                + "never arrived, "
        #expect(explanation.cause.hasPrefix(beginning), "\(explanation.cause)")
    }

    @Test func reportsMissingLedgerFirst() {
        let cause = Explanation(
            facts {
                $0.ledger = JobFacts.Ledger()
                $0.app = .known(App(bundleID: "com.example.shop", isPaused: true), faults: [])
            }
        ).cause
        #expect(
            cause == "there is no outcome ledger ('martlet ledger' creates one), so outcomes are not recorded; the app "
                + "com.example.shop is paused now, and its jobs wait")
    }

    @Test func namesTimeAndRoleOfPause() {
        let cause = Explanation(
            facts {
                $0.app = .known(App(bundleID: "com.example.shop", isPaused: true), faults: [])
                $0.pause = AppPause(app: "com.example.shop", since: Timestamp(seconds: 1_800_000_000), by: "ann")
            }
        ).cause
        #expect(
            cause.hasSuffix(
                "the app com.example.shop is paused now (since 2027-01-15T08:00:00.000Z, by ann), and its jobs wait"),
            "\(cause)")
    }

    @Test func namesPausedAppsAndRefusalsIfAppIsUnnamed() {
        let explanation = Explanation(
            facts {
                $0.ledger = JobFacts.Ledger()
                $0.app = .unnamed
                $0.pausedApps = ["a", "b", "c", "d"]
                $0.refusals = ["push A (key), production: BadKey since 2026-11-20T10:00:00.000Z"]
            })
        #expect(explanation.cause.hasPrefix("there is no outcome ledger"))
        #expect(
            explanation.cause.hasSuffix(
                "; it waits if its app is paused (a, b, c and 1 more) or if its credential is refused (push A (key), "
                    + "production: BadKey since 2026-11-20T10:00:00.000Z)"), "\(explanation.cause)")
        #expect(explanation.advice?.contains("--app") == true)
        #expect(explanation.checked.contains { $0.what == "paused apps" && $0.found == "a, b, c, d" })
    }

    @Test(arguments: [false, true]) func mentionsRateLimitOfApp(includesUrgent: Bool) {
        let paced = App(bundleID: "com.example.shop", pace: AppRateLimit(rate: 50, includesUrgent: includesUrgent))
        let explanation = Explanation(
            facts {
                $0.app = .known(paced, faults: [])
                $0.waiting = [JobFacts.Waiting(queue: "martlet.delay.120", messages: 7)]
            })
        #expect(!explanation.found && explanation.cause.contains("limited to 50 pushes per second"))
        #expect(explanation.cause.contains(includesUrgent ? "in all lanes" : "except in the urgent lane"))
        #expect(
            explanation.advice?.contains("--rate none") == true
                && explanation.advice?.contains("rate of the job") == true
        )
    }

    @Test func summarizesWholeJob() {
        func sum(_ kind: String, _ reason: String?, _ count: Int) -> LedgerSum {
            LedgerSum(
                kind: kind, output: "push", app: "a", environment: "production", reason: reason, count: count,
                first: Self.at, last: Self.at)
        }
        let explanation = Explanation(
            facts(asksOne: false) { $0.ledger?.sums = [sum("sent", nil, 90), sum("rejected", "BadX", 3)] })
        #expect(
            explanation.cause
                == "93 outcomes are recorded, the last at 2026-11-20T10:00:00.123Z: 90 sent, 3 rejected (BadX)")
    }

    /// A fault in the job's own text would cause the same rejection after a replay.
    @Test(arguments: [
        ("priorty: is not a field of a job; payload: is required", false), ("recipients[0].token: is empty", false),
        ("body: is not valid JSON: x at byte 3", false), ("app: com.example.shop is not registered", true),
        ("credential: 7 is not a credential in use", true), ("no lane is called \"a:b\"", true),
    ])
    func suggestsReplayOnlyIfJobCanSucceed(reason: String, isReplayed: Bool) {
        let advice = Explanation(facts { $0.dead = .some(JobFacts.Dead(app: "a", reason: reason)) }).advice ?? ""
        #expect(advice.contains("martlet dead drop --id order-1"))
        #expect(advice.contains("dead replay") == isReplayed)
    }

    /// Each step removes the cause found before, so that the next one in the order is reported.
    @Test func prefersCausesInFixedOrder() {
        var facts = facts {
            $0.dead = .some(JobFacts.Dead(app: "a", reason: "priorty: is not a field"))
            $0.cancellation = .some(Cancellation(at: Self.at, by: "ops"))
            $0.app = .known(
                App(bundleID: "com.example.shop", isPaused: true),
                faults: [JobFacts.AppFault("push: no credential", of: "push")])
            $0.tokens = [
                DeviceToken(
                    key: DeviceTokenKey(
                        output: "push", app: "a", environment: .production, form: .text, token: "t"),
                    registeredAt: nil, unregisteredAt: Self.at, markedAt: Self.at, reason: "Gone")
            ]
            $0.waiting = [JobFacts.Waiting(queue: "martlet.delay.30", messages: 4)]
            $0.ledger?.sums = [
                LedgerSum(
                    kind: "sent", output: "push", app: "a", environment: "production", reason: nil, count: 1,
                    first: Self.at, last: Self.at)
            ]
        }
        var causes: [String] = []
        func note() { causes.append(String(Explanation(facts).cause.prefix(50))) }
        note()
        facts.dead = .some(nil)
        note()
        facts.cancellation = .some(nil)
        note()
        #expect(Explanation(facts).found == false)
        facts.ledger?.sums = []
        note()
        facts.app = .known(
            App(bundleID: "com.example.shop"), faults: [JobFacts.AppFault("push: no credential", of: "push")])
        note()
        facts.app = .unknown("com.example.shop")
        note()
        facts.app = .unnamed
        note()
        facts.tokens = []
        note()
        #expect(Explanation(facts).found == false)
        facts.waiting = []
        note()
        facts.ledger = JobFacts.Ledger()
        note()
        facts.ledger = nil
        note()
        #expect(
            causes == [
                "the job was rejected and is in the dead-letter que",
                "the job was cancelled at 2026-11-20T10:00:00.123Z ",
                "1 outcome of this job is recorded, but none of thi",
                "no outcome is recorded; the app com.example.shop i",
                "no outcome is recorded; now push: no credential",
                "no outcome is recorded; the app com.example.shop i",
                "no outcome is recorded; the token has been dead si",
                "no record was found: either it never arrived, it w",
                "no record was found: either it never arrived, a wo",
                "there is no outcome ledger ('martlet ledger' creat",
                "no record was found, and some places could not be ",
            ])
    }

    @Test func listsUncheckedPlaces() {
        var facts = JobFacts(job: "order-1", asksOne: false)
        facts.blind = ["queues: the broker is away"]
        let explanation = Explanation(facts)
        #expect(!explanation.found)
        #expect(explanation.checked.map(\.found) == ["queues: the broker is away"])
    }
}
