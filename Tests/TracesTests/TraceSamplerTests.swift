import Testing
import Traces

@Suite struct TraceSamplerTests {
    private static let sampled = context("01")
    private static let unsampled = context("00")

    private static func context(_ flags: String) -> TraceContext? {
        TraceContext(traceparent: "00-0af7651916cd43dd4448eb211c80319c-b7ad6b7169203331-\(flags)")
    }

    @Test(arguments: [
        ("always_off", false, false, false), ("always_on", true, true, true),
        ("parentbased_always_off", false, true, false), ("parentbased_always_on", true, true, false),
        // The share is one half. The trace's id is in the sampled half, the job's id is not.
        ("traceidratio", false, true, true), ("parentbased_traceidratio", false, true, false),
    ])
    func samplesByParentAndShare(name: String, alone: Bool, withSampled: Bool, withUnsampled: Bool) throws {
        let sampler = try #require(TraceSampler(name, share: 0.5))
        #expect(sampler.samples(nil, job: "order-1") == alone)
        #expect(sampler.samples(Self.sampled, job: "order-1") == withSampled)
        #expect(sampler.samples(Self.unsampled, job: "order-1") == withUnsampled)
    }

    @Test(arguments: [
        "", "on", "ALWAYS_ON", "parentbased_", "parentbased_jaeger_remote", "parentbased_parentbased_always_on",
    ])
    func rejectsUnknownSampler(name: String) {
        #expect(TraceSampler(name, share: 0.5) == nil)
    }

    @Test func samplesConfiguredShareOfJobs() throws {
        for share in [0, 0.01, 0.3, 1] {
            let sampler = try #require(TraceSampler("parentbased_traceidratio", share: share))
            let traced = (0..<20_000).count { sampler.samples(nil, job: "order-\($0)") }
            #expect(abs(Double(traced) / 20_000 - share) < 0.01, "\(share)")
        }
    }

    @Test func samplesConfiguredShareOfTraces() throws {
        let sampler = try #require(TraceSampler("traceidratio", share: 0.25))
        var random = SystemRandomNumberGenerator()
        let traced = try (0..<20_000).count { _ in
            let trace = try #require(TraceID(high: random.next(), low: random.next()))
            let span = try #require(SpanID(1))
            return sampler.samples(TraceContext(trace: trace, span: span, isSampled: false), job: "one")
        }
        #expect(abs(Double(traced) / 20_000 - 0.25) < 0.02)
    }
}
