import PushModel
import Testing
import TortureRun

struct PlanTests {
    @Test func theSameSeedGivesTheSameScheduleAndJobs() {
        let profile = Profile.long(minutes: 5)
        #expect(Schedule(seed: 1, profile: profile).tracks == Schedule(seed: 1, profile: profile).tracks)
        #expect(Schedule(seed: 1, profile: profile).tracks != Schedule(seed: 2, profile: profile).tracks)
        let workload = Workload(seed: 1, profile: profile)
        #expect(workload.job(5).json() == workload.job(5).json())
        #expect(workload.job(5).recipients != Workload(seed: 2, profile: profile).job(5).recipients)
    }

    @Test func noJobThatIsMeantToBeGoodHasItsDeadlineBeforeItsTime() {
        let workload = Workload(seed: 601, profile: .long(minutes: 10))
        for number in 0..<5_000 {
            let traits = workload.job(number).traits
            guard let sendAfter = traits.sendAfter, let limit = traits.expireAfter, limit > 0 else { continue }
            #expect(limit > sendAfter, "job \(number)")
        }
    }

    @Test func aLongerRunBeginsLikeAShorterOne() {
        let short = Schedule(seed: 3, profile: .long(minutes: 2)).tracks
        let long = Schedule(seed: 3, profile: .long(minutes: 4)).tracks
        for (short, long) in zip(short, long) { #expect(Array(long.prefix(short.count)) == short) }
    }

    @Test func faultsOfATrackDoNotOverlapAndEndInTime() {
        let profile = Profile.long(minutes: 10)
        for track in Schedule(seed: 4, profile: profile).tracks {
            #expect(!track.isEmpty)
            for (one, next) in zip(track, track.dropFirst()) { #expect(one.start + one.milliseconds < next.start) }
            for entry in track { #expect(entry.start + entry.milliseconds < profile.seconds * 1_000) }
        }
    }

    @Test func everythingGoesWrongInAnHour() {
        let names = Set(Schedule(seed: 5, profile: .long(minutes: 60)).tracks.joined().map(\.fault.name))
        // Of workers, of servers (stop and kill of one, the other and both), of a table, of three links, of APNs,
        // of credentials, of settings, of a queue of results, and what shows only when others are left out.
        #expect(names.count == 4 + 2 * 3 + 1 + 3 * 3 + 9 + 1 + 1 + 4, "\(names.sorted())")
    }

    @Test func ofSeveralNodesOneAtATimeGoesDown() {
        var profile = Profile.long(minutes: 60)
        profile.nodes = 3
        let tracks = Schedule(seed: 5, profile: profile).tracks
        var nodes: Set<Int> = []
        for (number, track) in tracks.enumerated() {
            for entry in track {
                switch entry.fault {
                case .killNode(let node), .stopNode(let node):
                    nodes.insert(node)
                    #expect(number == profile.workers, "all on one track")
                case .killServers(let servers), .stopServers(let servers): #expect(servers == .postgres)
                default: break
                }
            }
        }
        #expect(nodes == [1, 2, 3])
    }

    @Test func whatHidesAnInterludeIsLeftOut() {
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

    @Test func theFirstWorkerLivesThrough() {
        for entry in Schedule(seed: 6, profile: .long(minutes: 60)).tracks.joined() {
            #expect(entry.fault != .killWorker(1) && entry.fault != .restartWorker(1))
        }
    }

    @Test func everythingIsAskedForInAMinute() {
        let jobs = (0..<1_000).map(Workload(seed: 8, profile: .long(minutes: 1)).job)
        #expect(jobs[0].traits == JobTraits(), "the run begins when this one has an outcome")
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
            #expect(jobs.contains { isWish($0.traits) }, "wish \(number)")
        }
        let sizes = Set(
            (0..<100_000).filter { $0 % 100 == 50 }.map { Workload(seed: 8, profile: .short).job($0) }
                .filter(\.traits.isAtMostOnce).map(\.recipients.count))
        #expect(sizes.isSuperset(of: [499, 500, 501]) && (sizes.max() ?? 0) > 900, "around what they are split by")
        for job in jobs where !job.traits.hasID {
            #expect(!job.traits.isAtMostOnce && job.traits.cancelAfter == nil && job.traits.publishAgainAfter == nil)
        }
    }

    @Test func aJobSaysWhatIsAskedOfIt() throws {
        let jobs = (0..<1_000).map(Workload(seed: 9, profile: .long(minutes: 1)).job)
        for plan in jobs {
            let sendAt = plan.traits.sendAfter.map { _ in Int64(1_900_000_000_123) }
            let expiresAt = plan.traits.expireAfter.map { $0 == 0 ? 0 : Int64(1_900_000_000_456) }
            let body = Array(plan.json(sendAt: sendAt, expiresAt: expiresAt).utf8)
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

    @Test func someJobsAreSpecial() {
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
        profile.deduplicationWindow = 3_600
        for number in 0..<1_000 where workload.job(number).traits.isFollowed {
            let follower = workload.job(JobNumber.follower(of: number))
            #expect(follower.json().contains(JobPlan.id(number)) || follower.messageID == JobPlan.id(number))
            #expect(JobPlan.number(in: follower.json()) == follower.number)
            #expect(follower.json() != workload.job(number).json())
        }
    }

    @Test func everyDeviceTokenTellsItsRecipient() {
        let workload = Workload(seed: 7, profile: .long(minutes: 1))
        var seen: Set<String> = []
        var kinds: Set<RecipientKind> = []
        for number in 0..<1_000 {
            let job = workload.job(number)
            for index in job.recipients.indices {
                let token = job.token(index)
                #expect(token.utf8.count == 64)
                #expect(RecipientID(token: token) == RecipientID(job: number, index: index))
                #expect(seen.insert(token).inserted)
                kinds.insert(job.recipients[index])
            }
        }
        #expect(kinds == Set(RecipientKind.allCases))
        #expect(RecipientID(token: "c2732227") == nil)
        #expect(JobPlan.number(in: JobPlan.id(12)) == 12 && JobPlan.number(in: #"{"a":"b torture-3"}"#) == 3)
        #expect(JobPlan.number(in: "torture") == nil)
        // A chunk's id comes first.
        #expect(JobPlan.number(in: #"{"id":"torture-20","payload":{"aps":{"alert":"job torture-21"}}}"#) == 21)
    }
}
