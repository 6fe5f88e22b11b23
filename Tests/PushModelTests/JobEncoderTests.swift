import PushModel
import PushTestSupport
import TestSupport
import Testing

@Suite struct JobEncoderTests {
    @Test(arguments: 0..<200)
    func readsBackWrittenJobUnchanged(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let text = JobText.random(using: &generator)
        let job = try Job.read(text)
        let chosen = job.recipients.indices.filter { _ in Bool.random(using: &generator) }
        guard !chosen.isEmpty else { return }
        let written = JobEncoder.encode(job, recipients: chosen)
        let again = try JobDecoder.decode(written) { "must not be asked" }
        #expect(
            Facts(again, Array(again.recipients.indices)) == Facts(job, chosen),
            "written: \(String(decoding: written, as: UTF8.self))")
        #expect(
            JobEncoder.encode(again, recipients: Array(again.recipients.indices)) == written,
            "writing again must give the same bytes")
    }

    @Test func writesPlainTokensAsStrings() throws {
        let job = try Job.sample(recipients: #"["aa",{"token":"bb"},{"token":"cc","ref":"r"}]"#, #""id":"1""#)
        let written = String(decoding: JobEncoder.encode(job, recipients: [0, 1, 2]), as: UTF8.self)
        #expect(written.hasSuffix(#""recipients":["aa","bb",{"token":"cc","ref":"r"}]}"#), "\(written)")
    }
}

/// The values of a job that must not change when it is written and read.
private struct Facts: Equatable {
    struct Receiver: Equatable {
        let kind: AddressKind
        let token: String
        let addressJSON: String
        let ref: String?
        let payload: String?
        let registeredAt: Timestamp?
    }

    let texts: [String?]
    let numbers: [Int?]
    let expiration: Job.Expiration?
    let receivers: [Receiver]

    init(_ job: Job, _ chosen: [Int]) {
        texts = [
            job.id, job.app, job.output, job.environment?.rawValue, job.credential, job.pushType, job.topic,
            job.collapseID,
            job.results.rawValue, job.text(job.payload),
        ]
        numbers = [job.priority, job.atMostOnce ? 1 : 0, job.trim ? 1 : 0, job.validateOnly ? 1 : 0]
        expiration = job.expiration
        receivers = chosen.map { index in
            let recipient = job.recipients[index]
            return Receiver(
                kind: recipient.kind, token: job.text(recipient.token), addressJSON: job.text(recipient.addressJSON),
                ref: recipient.refJSON.map(job.text), payload: recipient.payload.map(job.text),
                registeredAt: recipient.registeredAt)
        }
    }
}

/// Random jobs as publishers may write them.
private enum JobText {
    private static let strings = [
        #""a""#, #""com.example.shop""#, #""é \"quoted\" \\ \/""#, #""\u0001\ud83d\ude00""#, #""😀""#,
    ]
    private static let payloads = [
        "{}", #""text, \u00fc""#, #"{ "aps" : {"alert":"ü\n"} }"#, #"{"n":[1.0,-2e3,null,true]}"#,
    ]
    private static let addresses =
        strings.map { #""token":\#($0)"# } + [
            #""fid":"c1""#, #""topic":"news""#, #""condition":"'a' in topics""#,
            #""subscription":{"endpoint":"https:\/\/push.example\/1","expirationTime":null,"keys":{"auth":"a"}}"#,
        ]
    private static let moments = [
        "0", "1", "1795168800", "253402300799", #""2026-11-20T10:00:00.123456Z""#, #""1969-12-31T23:59:59.999Z""#,
        #""0000-01-01T00:00:00Z""#, #""9999-12-31T23:59:59.999Z""#, #""2024-02-29t12:00:00+05:30""#,
    ]

    static func random(using generator: inout SplitMix64) -> String {
        func pick(_ choices: [String]) -> String { choices[Int.random(in: choices.indices, using: &generator)] }
        var members = [#""app":\#(pick(strings))"#, #""payload":\#(pick(payloads))"#]
        let optional: [(String, [String])] = [
            ("id", strings), ("output", strings), ("environment", [#""production""#, #""sandbox""#]),
            ("credential", [#""0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a""#]), ("push_type", strings), ("topic", strings),
            ("priority", ["1", "5", "10"]), ("expires_at", moments),
            ("collapse_id", strings), ("at_most_once", ["true", "false"]), ("rate", ["1", "2000"]),
            ("trim", ["true", "false"]),
            ("validate_only", ["true", "false"]),
            ("results", [#""all""#, #""problems""#]),
        ]
        for (name, choices) in optional where Bool.random(using: &generator) {
            members.append("\"\(name)\":\(pick(choices))")
        }
        let recipients = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            guard Bool.random(using: &generator) else { return pick(strings) }
            var parts = [pick(addresses)]
            if Bool.random(using: &generator) { parts.append(#""ref":\#(pick(strings + [#""""#]))"#) }
            if Bool.random(using: &generator) { parts.append(#""registered_at":\#(pick(moments))"#) }
            if Bool.random(using: &generator) { parts.append(#""payload":\#(pick(payloads))"#) }
            return "{\(parts.shuffled(using: &generator).joined(separator: " , "))}"
        }
        members.append(#""recipients":[\#(recipients.joined(separator: ", "))]"#)
        return "{ \(members.shuffled(using: &generator).joined(separator: ",\n")) }"
    }
}
