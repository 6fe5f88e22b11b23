import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Routing

/// A worker with two apps. The first may have a rate limit, the other has none.
struct PacedSite {
    static let other = App(bundleID: "com.example.other", accounts: ["apns": AppAccount("TEAM000001")])

    let harness: PipelineHarness

    init(
        _ rate: Int?, includesUrgent: Bool = false, workers: Int? = 1, maximumInFlight: Int = 20_000,
        brokerUser: String? = nil, _ configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) {
        harness = PipelineHarness(
            apps: [Self.shop(rate, includesUrgent: includesUrgent), Self.other], maximumInFlight: maximumInFlight,
            brokerUser: brokerUser, configure)
        harness.recorder.withRecord { $0.workers = workers }
    }

    static func shop(_ rate: Int?, includesUrgent: Bool = false) -> App {
        var app = App.shop
        app.pace = rate.map { AppRateLimit(rate: $0, includesUrgent: includesUrgent) }
        return app
    }

    static func body(
        _ id: String, recipients: Int, app: String = "com.example.shop", more: String = ""
    ) -> String {
        let tokens = (0..<recipients).map { "\"\(String($0 + 0x1_0000, radix: 16))\"" }.joined(separator: ",")
        return #"{"id":"\#(id)","app":"\#(app)",\#(more)"payload":{"aps":{"alert":"Hi"}},"recipients":[\#(tokens)]}"#
    }

    /// Returns a part of a job that has its own rate, as a worker publishes it.
    static func part(
        _ number: UInt64, rate: Int = 10, recipients: Int = 10, job: String = "slow", user: String? = nil
    ) -> AMQPDelivery {
        .sample(
            body(job, recipients: recipients, more: #""rate":\#(rate),"#), number: number,
            properties: AMQPProperties(
                headers: ["x-martlet-part": .string("name#\(number)"), "x-martlet-attempt": 2], userID: user))
    }

    // MARK: Inputs

    /// Delivers jobs whose ids consist of the app's name and a number.
    func deliver(
        _ count: Int, of recipients: Int, lane: Lane = .normal, from first: UInt64 = 1,
        app: String = "com.example.shop",
        more: String = "", properties: AMQPProperties = AMQPProperties()
    ) {
        deliver(count, of: recipients, in: .lane(lane), from: first, app: app, more: more, properties: properties)
    }

    func deliver(
        _ count: Int, of recipients: Int, in queue: JobQueue, from first: UInt64 = 1, app: String = "com.example.shop",
        more: String = "", properties: AMQPProperties = AMQPProperties()
    ) {
        harness.deliver(
            (first..<first + UInt64(count)).map {
                .sample(
                    Self.body("\(app)-\($0)", recipients: recipients, app: app, more: more), number: $0, from: queue,
                    properties: properties)
            })
    }

    /// Delivers a message again after its delay.
    func comesBack(_ message: AMQPPublication, number: UInt64 = 1_000) {
        harness.deliver(String(decoding: message.body, as: UTF8.self), number: number, properties: message.properties)
    }

    /// Advances the clock in steps of 20 ms, so that all jobs start as soon as their rate permits.
    func pass(seconds: Int) { for _ in 0..<seconds * 50 { harness.passPace(milliseconds: 20) } }

    // MARK: Effects

    var sent: Int { harness.output.jobs.reduce(0) { $0 + $1.job.recipients.count } }

    var paced: [AMQPPublication] { harness.published.filter { $0.exchange.contains(".delay.") } }

    var now: Timestamp { harness.recorder.withRecord { $0.now } }
}

extension AMQPPublication {
    /// The time slot of the job, in milliseconds since 1970.
    var slot: Int64? { properties.headers["x-martlet-slot"]?.integer }

    /// The time since which the job has waited for the rate limit of its app, in milliseconds since 1970.
    var waitingSince: Int64? { properties.headers["x-martlet-waiting-since"]?.integer }
}
