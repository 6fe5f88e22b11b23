import AMQPClient
import DeliveryPipeline
import PushModel
import Testing

@Suite struct RejectingTests {
    private static let samples: [(body: String, app: String?, reason: String)] = [
        ("{broken", nil, "body: is not valid JSON"),
        (
            #"{"app":"com.example.shop","recipients":[],"payload":{}}"#, "com.example.shop",
            "recipients: must not be empty"
        ),
        (jobBody(more: #""colour":"red","#), "com.example.shop", "colour: is not a field of a job"),
        (jobBody(app: "com.example.gone"), "com.example.gone", "app: com.example.gone is not registered"),
        (
            jobBody(more: #""credential":"0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a","#), "com.example.shop",
            "credential: 0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a is not a credential in use"
        ),
        (
            jobBody(more: #""output":"pigeon","#), "com.example.shop",
            "output: is pigeon, but must be one of: apns, discard"
        ),
    ]

    @Test(arguments: samples.indices)
    func deadLettersAndReportsUnusableJob(index: Int) throws {
        let (body, app, reason) = Self.samples[index]
        for confirmDeadFirst in [true, false] {
            let harness = PipelineHarness()
            harness.deliver(body, number: 3, lane: .bulk, properties: AMQPProperties(userID: "publisher"))
            try #require(harness.published.map(\.exchange) == ["martlet.dead", "martlet.results"])
            let (dead, event) = (harness.published[0], harness.published[1])
            #expect(dead.body == Array(body.utf8))
            #expect(dead.routingKey == "bulk")
            #expect(dead.properties.userID == nil)
            let told = try #require(dead.properties.headers["x-martlet-reason"]?.string)
            #expect(told.hasPrefix(reason))
            #expect(event.routingKey == "job.rejected.\(app ?? "unknown")")

            harness.confirm(confirmDeadFirst ? dead : event)
            #expect(harness.acknowledged == [])
            harness.confirm(confirmDeadFirst ? event : dead)
            #expect(harness.acknowledged == [3])
            #expect(harness.started == [])
            #expect(harness.core.currentCounts().jobsRejected == 1)
        }
    }

    @Test func continuesAfterUnusableJob() {
        let harness = PipelineHarness()
        harness.deliver([.sample("{", number: 1), .sample(jobBody("2"), number: 2)])
        #expect(harness.started == ["2"])
    }
}
