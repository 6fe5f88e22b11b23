import AMQPClient
import Contract
import DeliveryPipeline
import PushModel
import Store
import Testing
import Routing

let now = Timestamp(seconds: 1_800_000_000)

extension App {
    static let shop = App(bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")])
    static let pausedShop = App(
        bundleID: "com.example.shop", accounts: ["apns": AppAccount("TEAM000001")], isPaused: true)
}

extension SnapshotCredential {
    static func sample(state: CredentialSummary.State = .active, notAfter: Timestamp? = nil) -> SnapshotCredential {
        SnapshotCredential(
            summary: CredentialSummary(
                id: "credential-1", kind: .token, account: "TEAM000001", keyID: "KEY0000001",
                environments: [.production, .sandbox], topics: [], notBefore: nil, notAfter: notAfter, state: state,
                fingerprint: "1", label: "sample", masterKeyID: "2026-11", createdAt: Timestamp(seconds: 0)),
            opened: .success(
                Credential(
                    id: "credential-1", kind: .token(keyID: "KEY0000001", privateKeyPEM: Secret([])),
                    account: "TEAM000001", environments: [.production, .sandbox])))
    }
}

/// Returns the JSON of a job with two recipients, the second with all fields.
func jobBody(_ id: String = "order-1", app: String = "com.example.shop", more: String = "") -> String {
    """
    {"id":"\(id)","app":"\(app)",\(more)"payload":{"aps":{"alert":"Ship\\u00e9d"},"n":1.0},\
    "recipients":["aa01",{"token":"aa02","ref":"user \\"2\\"","registered_at":1700000000,"payload":{"own":2}}]}
    """
}

func decodedJob(_ body: String) throws -> Job {
    try JobDecoder.decode(Array(body.utf8)) { "made-up" }
}

func routedJob(
    _ body: String = jobBody(), environment: PushEnvironment = .production, attempt: Int = 1,
    redelivered: Bool = false, ledgerID: Int = 0, traceparent: String? = nil
) throws -> RoutedJob {
    RoutedJob(
        job: try decodedJob(body), environment: environment, credential: nil, lane: .normal,
        attempt: attempt, redelivered: redelivered, ledgerID: ledgerID, traits: OutputTraits(ScriptedPlugin()),
        trace: traceparent.map { TraceHeaders(traceparent: $0) })
}

extension RoutedJob {
    func outcome(
        _ recipient: Int, _ verdict: Outcome.Verdict, status: Int = 0, reason: String? = nil,
        judge: Outcome.Judge = .martlet, providerID: ProviderID? = nil, uniqueID: String? = nil,
        unregisteredAt: Timestamp? = nil
    ) -> Outcome {
        Outcome(
            job: self, recipient: recipient, verdict: verdict, status: status, reason: reason, judge: judge,
            providerID: providerID, uniqueID: uniqueID, unregisteredAt: unregisteredAt, at: now)
    }
}

extension ProviderID {
    static func sample() throws -> ProviderID {
        try #require(
            Array("EABEAE54-14a8-11e5-b60b-1697f925ec7b".utf8).withUnsafeBufferPointer { ProviderID(ascii: $0) })
    }
}

extension AMQPDelivery {
    static func sample(
        _ body: String, number: UInt64 = 1, lane: Lane = .normal, properties: AMQPProperties = AMQPProperties(),
        redelivered: Bool = false
    ) -> AMQPDelivery {
        sample(body, number: number, from: .lane(lane), properties: properties, redelivered: redelivered)
    }

    static func sample(
        _ body: String, number: UInt64, from queue: JobQueue, properties: AMQPProperties = AMQPProperties(),
        redelivered: Bool = false, connection: UInt32 = 1
    ) -> AMQPDelivery {
        let index = JobQueue.all.firstIndex(of: queue) ?? 0
        return AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: connection, queueIndex: UInt16(index), number: number),
            isRedelivered: redelivered,
            exchange: "martlet.jobs", routingKey: "normal", properties: properties, body: Array(body.utf8))
    }
}
