import DeliveryPipeline
import PushModel
import Testing

@Suite struct JobRateLimitersTests {
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + seconds * 1_000) }

    /// Returns a job with two recipients.
    private func job(_ id: String, app: String = "com.example.shop", more: String = "") throws -> Job {
        try decodedJob(jobBody(id, app: app, more: more))
    }

    /// Returns the wait until the job's slot, in milliseconds to the nearest ten, or `nil` if the job may start now.
    private func wait(
        _ limiters: inout JobRateLimiters, _ job: Job, rate: Int = 10, earlier: RateLimiter.Slot? = nil,
        waited: Int = 0,
        seconds: Int64 = 0
    ) -> Int64? {
        limiters.slot(for: job, at: rate, earlier: earlier, waited: waited, workers: 1, now: at(seconds)).map {
            ($0.due.milliseconds - at(seconds).milliseconds + 5) / 10 * 10
        }
    }

    @Test func chargesStartedPartUntilRefunded() throws {
        var limiters = JobRateLimiters()
        let job = try job("slow")
        #expect(wait(&limiters, job) == nil)
        #expect(wait(&limiters, job) == 100)
        limiters.refund(job, at: 10)
        #expect(wait(&limiters, job) == nil)
        limiters.refund(try self.job("unknown"), at: 10)
    }

    @Test func reusesReturnedSlot() throws {
        var limiters = JobRateLimiters()
        let job = try job("slow")
        #expect(wait(&limiters, job) == nil)
        #expect((0..<5).map { _ in wait(&limiters, job) } == [100, 200, 300, 400, 500])
        for _ in 0..<4 { limiters.releaseSlot(of: job, at: 10) }
        #expect(wait(&limiters, job) == 200)
        let late = try self.job("slow", more: #""expires_at":1,"#)
        #expect(try #require(wait(&limiters, late)) < 0)
        #expect(wait(&limiters, job) == 300, "a late job must take no slot")
    }

    @Test func startsEarlyPartIfNoneIsAhead() throws {
        var limiters = JobRateLimiters()
        let (job, slot) = (try job("slow"), RateLimiter.Slot(due: at(60), rate: 10))
        #expect(wait(&limiters, job, earlier: slot) == nil, "no other part is known")
        #expect(wait(&limiters, job) == 100)
        #expect(wait(&limiters, job, earlier: slot, seconds: 0) == 60_000)
    }

    @Test func limitsJobsOfOneIDByOwnRates() throws {
        var limiters = JobRateLimiters()
        let job = try job("same")
        for _ in 0..<3 { #expect((wait(&limiters, job, rate: 10) == nil) == (wait(&limiters, job, rate: 20) == nil)) }
        #expect(wait(&limiters, job, rate: 10) != nil && wait(&limiters, job, rate: 20) != nil)
    }

    /// No rate may be forgotten, and an app with many jobs must not delay other apps.
    @Test func limitsTrackedJobsPerApp() throws {
        var limiters = JobRateLimiters()
        let jobs = try (0..<JobRateLimiters.mostOfApp).map { try job("\($0)") }
        for job in jobs { #expect(wait(&limiters, job, rate: 1) == nil) }
        let further = try (0..<200).map { try job("further-\($0)") }
        #expect(further.allSatisfy { wait(&limiters, $0, rate: 1) == 5_000 })
        #expect(
            [0, 4, 30, 1_000].map { wait(&limiters, further[0], rate: 1, waited: $0) } == [
                5_000, 5_000, 30_000, 120_000,
            ])
        #expect(wait(&limiters, try job("mine", app: "com.example.other"), rate: 1) == nil)
        #expect(jobs.allSatisfy { wait(&limiters, $0, rate: 1) != nil }, "the rates must still apply")
        #expect(wait(&limiters, further[0], rate: 1, waited: 5, seconds: 60) == nil, "the other jobs are idle")
    }

    @Test func limitsTrackedJobsOfAllApps() throws {
        var limiters = JobRateLimiters()
        let apps = JobRateLimiters.most / JobRateLimiters.mostOfApp
        for app in 0..<apps {
            for id in 0..<JobRateLimiters.mostOfApp {
                #expect(wait(&limiters, try job("\(id)", app: "app-\(app)"), rate: 1) == nil)
            }
        }
        let one = try job("one", app: "one-more")
        #expect(wait(&limiters, one, rate: 1) == 5_000)
        #expect(wait(&limiters, try job("7", app: "app-7"), rate: 1) != nil, "the rate of the job must still apply")
        #expect(wait(&limiters, one, rate: 1, waited: 5, seconds: 60) == nil)
    }
}
