import Crypto
import Foundation
import PushModel
import Testing
import TortureRun
import WebPushSimulator

/// A `Subscribe` function for jobs without subscriptions.
private let nobody: Subscribe = { _, _, _ in nil }

struct PlanTests {
    @Test func generatesSameScheduleAndJobsFromSeed() {
        let profile = Profile.long(minutes: 5)
        #expect(Schedule(seed: 1, profile: profile).tracks == Schedule(seed: 1, profile: profile).tracks)
        #expect(Schedule(seed: 1, profile: profile).tracks != Schedule(seed: 2, profile: profile).tracks)
        let workload = Workload(seed: 1, profile: profile)
        #expect(workload.job(5).json(subscribe: nobody) == workload.job(5).json(subscribe: nobody))
        #expect(workload.job(5).recipients != Workload(seed: 2, profile: profile).job(5).recipients)
    }

    @Test func setsDeadlinesAfterSendTimes() {
        let workload = Workload(seed: 601, profile: .long(minutes: 10))
        for number in 0..<5_000 {
            let traits = workload.job(number).traits
            guard let sendAfter = traits.sendAfter, let limit = traits.expireAfter, limit > 0 else { continue }
            #expect(limit > sendAfter, "job \(number)")
        }
    }

    @Test func startsLongerRunLikeShorterOne() {
        let short = Schedule(seed: 3, profile: .long(minutes: 2)).tracks
        let long = Schedule(seed: 3, profile: .long(minutes: 4)).tracks
        for (short, long) in zip(short, long) { #expect(Array(long.prefix(short.count)) == short) }
    }

    @Test func separatesFaultsOfTrackAndEndsAllInTime() {
        let profile = Profile.long(minutes: 10)
        for track in Schedule(seed: 4, profile: profile).tracks {
            #expect(!track.isEmpty)
            for (one, next) in zip(track, track.dropFirst()) { #expect(one.start + one.milliseconds < next.start) }
            for entry in track { #expect(entry.start + entry.milliseconds < profile.seconds * 1_000) }
        }
    }

    @Test func schedulesEveryFaultWithinAnHour() {
        let names = Set(Schedule(seed: 5, profile: .long(minutes: 60)).tracks.joined().map(\.fault.name))
        // The addends stand for workers, servers (stop and kill of each and of both), a table, three links, APNs,
        // credentials, settings, interludes and a full results queue, failovers, rates, and campaigns.
        let others = OutputKind.allCases.filter { $0 != .apns }
        let ofOthers = names.filter { name in others.contains { name.hasPrefix("\($0.rawValue): ") } }
        let links = names.filter { name in others.contains { name.hasSuffix(" to \($0.rawValue)") } }
        #expect(
            names.count - ofOthers.count - links.count == 4 + 2 * 3 + 1 + 3 * 3 + 9 + 1 + 1 + 4 + 2 + 2 + 1,
            "\(names.sorted())")
        // Every service has ten faults. FCM adds mismatches, two kinds of 429 and five faults of accounts.
        #expect(ofOthers.count { $0.hasPrefix("fcm: ") } == 10 + 1 + 2 + 5, "\(ofOthers.sorted())")
        #expect(ofOthers.count { $0.hasPrefix("webpush: ") } == 10 + 1, "\(ofOthers.sorted())")
        #expect(ofOthers.count { $0.hasPrefix("webhook: ") } == 12, "\(ofOthers.sorted())")
        #expect(links.count == 3, "\(links.sorted())")
    }

    @Test func stopsOneNodeAtATime() {
        var profile = Profile.long(minutes: 60)
        profile.nodes = 3
        let tracks = Schedule(seed: 5, profile: profile).tracks
        var nodes: Set<Int> = []
        for (number, track) in tracks.enumerated() {
            for entry in track {
                switch entry.fault {
                case .killNode(let node), .stopNode(let node):
                    nodes.insert(node)
                    #expect(number == profile.workers, "all faults of nodes must be on one track")
                case .killServers(let servers), .stopServers(let servers): #expect(servers == .postgres)
                default: break
                }
            }
        }
        #expect(nodes == [1, 2, 3])
    }

    @Test func startsDatabaseFaultsWithFailover() {
        for seed in 1...50 as ClosedRange<UInt64> {
            let first = Schedule(seed: seed, profile: .long(minutes: 1)).tracks.joined().filter {
                $0.fault.affectsDatabase
            }
            .min { $0.start < $1.start }
            guard case .failOver? = first?.fault else {
                Issue.record("seed \(seed): the first database fault is \(String(describing: first)), not a failover")
                continue
            }
        }
        let short = Schedule(seed: 1, profile: .short).tracks.joined()
        #expect(!short.contains { if case .failOver = $0.fault { true } else { false } })
    }

    @Test func sizesRateLimitedJobs() {
        func isPaced(_ job: JobPlan) -> Bool { Workload.apps[Workload.pacedApps].contains { $0.bundleID == job.app } }
        for seed in 1...4 as ClosedRange<UInt64> {
            let workload = Workload(seed: seed, profile: .long(minutes: 10))
            let jobs = (0..<4_000).map(workload.job)
            #expect(jobs.contains { isPaced($0) && $0.lane == .urgent })
            for job in jobs where isPaced(job) && job.traits.isAtMostOnce {
                #expect(job.recipients.count <= Workload.mostPacedAtOnce)
            }
            let own = jobs.filter { $0.traits.rate != nil }
            #expect(own.contains { $0.recipients.count > 1_000 } && own.contains { $0.traits.isAtMostOnce })
            let campaign = (0..<30).map { workload.job(JobNumber.campaign(3, $0)) }
            #expect(Set(campaign.map(\.app)).count == 1 && campaign.allSatisfy { isPaced($0) })
            #expect(
                campaign.contains { $0.traits.expireAfter != nil } && campaign.contains { $0.traits.cancelAfter != nil }
            )
            #expect(workload.job(JobNumber.campaign(4, 0)).app != campaign[0].app)
            #expect(workload.job(JobNumber.campaign(JobNumber.lastCampaign(0), 1)).traits == JobTraits())
        }
    }

    @Test func excludesFaultsThatHideInterludes() {
        let tracks = Schedule(seed: 5, profile: .long(minutes: 6)).tracks
        let all = tracks.joined()
        for fault in [Fault.joinLate, .lockTables, .killWhileSplitting(JobNumber.staged(0))] {
            let entries = all.filter { $0.fault == fault }
            #expect(entries.count == 1)
            guard let entry = entries.first else { continue }
            for other in all where other.fault != fault && other.fault.disconnects(worker: 1) {
                #expect(
                    other.start + other.milliseconds < entry.start || other.start > entry.start + entry.milliseconds)
            }
        }
        #expect(all.contains { $0.fault == .lockTables && $0.milliseconds >= 2 * Profile.patience })
        #expect(!Schedule(seed: 5, profile: .long(minutes: 5)).tracks.joined().contains { $0.fault == .lockTables })
    }

    @Test func neverKillsFirstWorker() {
        for entry in Schedule(seed: 6, profile: .long(minutes: 60)).tracks.joined() {
            #expect(entry.fault != .killWorker(1) && entry.fault != .restartWorker(1))
        }
    }

    @Test func generatesEveryTraitWithinAMinute() {
        let jobs = (0..<1_000).map(Workload(seed: 8, profile: .long(minutes: 1)).job)
        #expect(jobs[0].traits == JobTraits(), "the first job must have no special traits")
        #expect(Set(jobs.map(\.traits.identity)) == Set(JobTraits.Identity.allCases))
        #expect(Set(jobs.compactMap(\.traits.flaw)) == Set(JobFlaw.allCases).subtracting([.takenID]))
        #expect(Set(jobs.compactMap(\.traits.slip)) == Set(Slip.allCases))
        #expect(jobs.contains { $0.traits.isFollowed })
        let wishes: [(JobTraits) -> Bool] = [
            { $0.isAtMostOnce && $0.sendAfter != nil }, { $0.isAtMostOnce && $0.publishAgainAfter != nil },
            { $0.wantsProblemsOnly }, { $0.cancelAfter == 0 }, { $0.cancelAfter ?? 0 > 0 },
            { $0.sendAfter != nil && !$0.hasID }, { $0.expireAfter == 0 },
            { $0.isAtMostOnce && $0.expireAfter ?? 0 > 0 },
            { $0.sendAfter != nil && $0.expireAfter ?? 0 > 0 },
        ]
        for (number, isWish) in wishes.enumerated() {
            #expect(jobs.contains { isWish($0.traits) }, "no job has the combination \(number)")
        }
        let sizes = Set(
            (0..<100_000).filter { $0 % 100 == 50 }.map { Workload(seed: 8, profile: .short).job($0) }
                .filter(\.traits.isAtMostOnce).map(\.recipients.count))
        #expect(sizes.isSuperset(of: [499, 500, 501]) && (sizes.max() ?? 0) > 900, "sizes must be near chunk size")
        for job in jobs where !job.traits.hasID {
            #expect(!job.traits.isAtMostOnce && job.traits.cancelAfter == nil && job.traits.publishAgainAfter == nil)
        }
    }

    @Test func distributesJobsOverOutputs() throws {
        let jobs = (0..<10_000).map(Workload(seed: 9, profile: .long(minutes: 1)).job)
        let subscribe = try subscribe
        let shares: [OutputKind: ClosedRange<Int>] = [
            .apns: 5_300...5_700, .fcm: 1_800...2_200, .webpush: 1_300...1_700, .webhook: 850...1_150,
        ]
        for output in OutputKind.allCases {
            let share = jobs.count { $0.output == output }
            #expect(shares[output]?.contains(share) == true, "\(output): \(share)")
        }
        let kinds = Set(
            try jobs.filter { $0.traits.flaw == nil && $0.recipients.count < 100 }.flatMap { job in
                try JobDecoder.decode(Array(job.json(subscribe: subscribe).utf8), messageID: "m") { "m" }.recipients.map
                { recipient in
                    "\(job.output) \(recipient.kind)"
                }
            })
        #expect(
            kinds == [
                "apns token", "fcm token", "fcm installation", "fcm topic", "webpush subscription", "webhook token",
            ])
    }

    @Test func encodesTraitsInJob() throws {
        let jobs = (0..<1_000).map(Workload(seed: 9, profile: .long(minutes: 1)).job)
        let subscribe = try subscribe
        for plan in jobs {
            let sendAt = plan.traits.sendAfter.map { _ in Int64(1_900_000_000_123) }
            let expiresAt = plan.traits.expireAfter.map { $0 == 0 ? 0 : Int64(1_900_000_000_456) }
            let body = Array(plan.json(sendAt: sendAt, expiresAt: expiresAt, subscribe: subscribe).utf8)
            #expect(JobPlan.number(in: String(decoding: body, as: UTF8.self)) == plan.number)
            let isNoJob = [.brokenJSON, .unknownField, .noRecipients, .longRef].contains(plan.traits.flaw)
            do throws(JobRejection) {
                let job = try JobDecoder.decode(body, messageID: plan.messageID) { "made-up" }
                #expect(!isNoJob)
                #expect(job.id == (plan.traits.hasID ? JobPlan.id(plan.number) : "made-up"))
                #expect(job.atMostOnce == plan.traits.isAtMostOnce)
                #expect(job.results == (plan.traits.wantsProblemsOnly ? .problems : .all))
                #expect(job.sendAt?.milliseconds == sendAt)
                let expiration = expiresAt.map { $0 == 0 ? .nowOrNever : Job.Expiration.at(.init(milliseconds: $0)) }
                #expect(job.expiration == expiration)
                #expect(job.recipients.count == plan.recipients.count)
            } catch {
                #expect(isNoJob, "\(error)")
                #expect(error.description.contains(plan.traits.flaw?.reason ?? "?"))
            }
        }
    }

    @Test func generatesSpecialJobs() {
        var profile = Profile.long(minutes: 1)
        let workload = Workload(seed: 8, profile: profile)
        let giants = (0..<8).map { workload.job(JobNumber.giant($0)) }
        #expect(giants.allSatisfy { profile.giantJobs.contains($0.recipients.count) && $0.traits.flaw == nil })
        #expect(Set(giants.map(\.traits.identity)) == Set(JobTraits.Identity.allCases))
        let staged = workload.job(JobNumber.giant(JobNumber.staged(1)))
        #expect(staged.recipients.count == 8_000 && !staged.traits.hasID)
        let flood = workload.job(JobNumber.flood(3))
        #expect(flood.recipients.count == 100 && flood.traits == JobTraits())
        #expect(!giants.contains { JobNumber.isFlood($0.number) } && JobNumber.isFlood(flood.number))
        let round = (0..<24).map { workload.job(JobNumber.lastRound($0)) }
        #expect(round.allSatisfy { JobNumber.isOfLastRound($0.number) && $0.traits == JobTraits() })
        #expect(Set(round.map { "\($0.app) \($0.lane)" }).count == 12, "each lane must have all unlimited apps")
        profile.deduplicationWindow = 3_600
        for number in 0..<1_000 where workload.job(number).traits.isFollowed {
            let follower = workload.job(JobNumber.follower(of: number))
            #expect(
                follower.json(subscribe: nobody).contains(JobPlan.id(number))
                    || follower.messageID == JobPlan.id(number))
            #expect(JobPlan.number(in: follower.json(subscribe: nobody)) == follower.number)
            #expect(follower.json(subscribe: nobody) != workload.job(number).json(subscribe: nobody))
        }
    }

    /// A `Subscribe` function with subscriptions of a simulator that is not running.
    private var subscribe: Subscribe {
        get throws {
            let simulator = try SimulatedWebPush()
            let key = Data(P256.Signing.PrivateKey().publicKey.x963Representation).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            return { recipient, kind, _ in
                let subscription = try? simulator.subscribe(
                    recipient.persona, number: recipient.subscriptionNumber(kind), key: key,
                    origin: "https://localhost:2397")
                return subscription.flatMap { try? JSONEncoder().encode($0) }.map {
                    String(decoding: $0, as: UTF8.self)
                }
            }
        }
    }

    @Test func encodesRecipientInAddress() throws {
        let workload = Workload(seed: 7, profile: .long(minutes: 1))
        var seen: Set<String> = []
        var kinds: [OutputKind: Set<RecipientKind>] = [:]
        let subscribe = try subscribe
        for number in 0..<3_000 {
            let job = workload.job(number)
            guard job.traits.flaw == nil else { continue }
            let decoded = try JobDecoder.decode(Array(job.json(subscribe: subscribe).utf8), messageID: "m") { "m" }
            for (index, recipient) in decoded.recipients.enumerated() {
                let address = String(decoding: decoded.bytes(recipient.token), as: UTF8.self)
                #expect(job.output != .apns || address.utf8.count == 64)
                #expect(RecipientID(address: address) == RecipientID(job: number, index: index), "\(address)")
                #expect(seen.insert(address).inserted)
                kinds[job.output, default: []].insert(job.recipients[index])
            }
        }
        for output in OutputKind.allCases { #expect(kinds[output] == Set(RecipientKind.allCases)) }
        for nobody in ["c2732227", "topic-", "news", ":APA91bT"] { #expect(RecipientID(address: nobody) == nil) }
        #expect(JobPlan.number(in: JobPlan.id(12)) == 12 && JobPlan.number(in: #"{"a":"b torture-3"}"#) == 3)
        #expect(JobPlan.number(in: "torture") == nil)
        // In a chunk, the id precedes the payload, but the number in the payload takes precedence.
        #expect(JobPlan.number(in: #"{"id":"torture-20","payload":{"aps":{"alert":"job torture-21"}}}"#) == 21)
    }
}
