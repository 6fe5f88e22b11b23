import APNSOutput
import HTTP2Session
import PushModel
import PushSending
import PushTestSupport
import Testing

@Suite struct PreparedJobTests {
    fileprivate func prepare(_ text: String) throws -> PreparedJob {
        try PreparedJob(RoutedJob(Job.read(text)), sink: OutcomeRecorder())
    }

    private func text(_ body: HTTP2Body) -> String {
        body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a JSON object of this size in bytes.
    private static func payload(bytes: Int) -> String {
        #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"#
    }

    @Test(arguments: [("alert", 4096), ("background", 4096), ("widgets", 4096), ("voip", 5120)])
    func enforcesPayloadLimitOfPushType(type: String, limit: Int) throws {
        for (size, reason) in [(limit, nil), (limit + 1, "PayloadTooLarge")] {
            let payload = Self.payload(bytes: size)
            #expect(payload.utf8.count == size)
            let job = try prepare(Job.sampleText(payload: payload, [#""push_type":"\#(type)""#]))
            let recipient = job.routed.job.recipients[0]
            if let reason {
                #expect(throws: APNSRequest.Fault(reason: reason), "\(size) bytes") { try job.body(for: recipient) }
            } else {
                #expect(try text(job.body(for: recipient)) == payload)
            }
        }
    }

    @Test func measuresPayloadInBytes() throws {
        let payload = #"{"a":"\#(String(repeating: "é", count: 2044))"}"#  // 4,096 bytes
        #expect(payload.utf8.count == 4096)
        let job = try prepare(Job.sampleText(payload: payload, [#""push_type":"alert""#]))
        #expect(try job.body(for: job.routed.job.recipients[0]).count == 4096)
    }

    @Test func sendsAndMeasuresPayloadOfRecipient() throws {
        let job = try prepare(
            Job.sampleText(
                recipients: """
                    ["aa",{"token":"bb","payload":{ "own" : 1 }},{"token":"cc","payload":\(Self.payload(bytes: 4097))}]
                    """))
        let recipients = job.routed.job.recipients
        #expect(try text(job.body(for: recipients[0])) == #"{"aps":{"alert":"Hi"}}"#)
        #expect(try text(job.body(for: recipients[1])) == #"{ "own" : 1 }"#)
        #expect(throws: APNSRequest.Fault(reason: "PayloadTooLarge")) { try job.body(for: recipients[2]) }
        #expect(try text(job.body(for: recipients[0])) == #"{"aps":{"alert":"Hi"}}"#, "unchanged by other recipients")
    }

    @Test func acceptsSmallRecipientPayloadInOversizedJob() throws {
        let job = try prepare(
            Job.sampleText(
                recipients: #"["aa",{"token":"bb","payload":{}}]"#, payload: Self.payload(bytes: 5000),
                [#""push_type":"alert""#]))
        #expect(throws: APNSRequest.Fault(reason: "PayloadTooLarge")) {
            try job.body(for: job.routed.job.recipients[0])
        }
        #expect(try text(job.body(for: job.routed.job.recipients[1])) == "{}")
    }

    @Test func sharesOneBufferForJobPayload() throws {
        let job = try prepare(Job.sampleText(recipients: #"["aa","bb"]"#))
        let bodies = try job.routed.job.recipients.map(job.body)
        #expect(bodies[0] === bodies[1])
    }

    @Test(arguments: [" a", "a "])
    func rejectsCollapseIDThatIsInvalidInHeader(id: String) {
        #expect(throws: APNSRequest.Fault(reason: "BadCollapseId")) {
            try prepare(Job.sampleText([#""collapse_id":"\#(id)""#]))
        }
    }
}

extension PreparedJobTests {
    @Test func trimsOversizedPayloadOnlyOnRequest() throws {
        let long = #"{"aps":{"alert":"\#(String(repeating: "word ", count: 1000))"}}"#
        let job = try prepare(
            Job.sampleText(recipients: #"["aa",{"token":"bb","payload":{}}]"#, payload: long, [#""trim":true"#]))
        let recipients = job.routed.job.recipients
        #expect(try job.body(for: recipients[0]).count <= 4096)
        #expect(try job.trimmedBytes(for: 0) == long.utf8.count - job.body(for: recipients[0]).count)
        #expect(job.trimmedBytes(for: 1) == 0)
        let strict = try prepare(Job.sampleText(payload: long))
        #expect(throws: APNSRequest.Fault(reason: "PayloadTooLarge")) {
            try strict.body(for: strict.routed.job.recipients[0])
        }
    }
}

extension PreparedJobTests {
    private static let certificate = Credential(
        id: "1", kind: .certificate(chainDER: [], privateKeyDER: Secret([])), account: "TEAM123456",
        environments: [.production])
    private static let key = Credential(
        id: "2", kind: .token(keyID: "ABC123DEFG", privateKeyPEM: Secret([])), account: "TEAM123456",
        environments: [.production])

    @Test(arguments: APNSPushType.allCases)
    func requiresProviderTokenOnlyForLocation(type: APNSPushType) throws {
        let job = try Job.sample(#""push_type":"\#(type.rawValue)""#)
        func prepare(_ credential: Credential) throws {
            _ = try PreparedJob(RoutedJob(job, credential: credential), sink: OutcomeRecorder())
        }
        #expect(throws: Never.self) { try prepare(Self.key) }
        if type == .location {
            #expect(throws: APNSRequest.Fault(reason: "TopicDisallowed")) { try prepare(Self.certificate) }
        } else {
            #expect(throws: Never.self) { try prepare(Self.certificate) }
        }
    }
}
