import PushModel
import PushTestSupport
import Testing

@Suite struct BroadcastJobTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    private func text(_ members: String...) -> String {
        "{\(([#""app":"com.example.shop""#, #""payload":{"aps":{"event":"update"}}"#] + members).joined(separator: ","))}"
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try Job.read(text)
            return []
        } catch {
            return error.faults.map { "\($0.field): \($0.problem)" }
        }
    }

    @Test func readsChannelAsOnlyRecipient() throws {
        let job = try Job.read(text(#""channel":"\#(Self.channel)""#))
        #expect(job.isBroadcast)
        #expect(job.recipients.count == 1)
        #expect(job.text(job.recipients[0].token) == Self.channel)
        #expect(job.recipients[0].refJSON == nil && job.recipients[0].payload == nil)
        #expect(try !Job.sample().isBroadcast)
    }

    @Test func unescapesChannel() throws {
        let job = try Job.read(text(#""channel":"dHN0\/a\u003d=""#))
        #expect(job.text(job.recipients[0].token) == "dHN0/a==")
        #expect(job.text(job.recipients[0].addressJSON) == #""dHN0\/a\u003d=""#)
    }

    @Test(arguments: [
        (#""channel":"""#, ["channel: must not be empty"]),
        (#""channel":7"#, ["channel: must be a string"]),
        (#""channel":["a"]"#, ["channel: must be a string"]),
        (#""channel":"a","channel":"a""#, ["channel: is given twice"]),
        (#""channel":"a","recipients":["aa"]"#, ["recipients: cannot be combined with channel"]),
        (#""recipients":["aa"],"channel":"a""#, ["recipients: cannot be combined with channel"]),
        (
            #""channel":"a","topic":"t","collapse_id":"c""#,
            ["topic: cannot be combined with channel", "collapse_id: cannot be combined with channel"]
        ),
        (#""id":"1""#, ["recipients: is required, or channel for a broadcast"]),
    ])
    func reportsFieldOfEachFault(members: String, expected: [String]) {
        #expect(faults(text(members)) == expected)
    }

    @Test(arguments: [channel, #"dHN0\/a\u003d="#])
    func readsBackWrittenBroadcast(channel: String) throws {
        let job = try Job.read(text(#""channel":"\#(channel)""#, #""priority":5"#, #""expires_at":1795168800"#))
        let written = JobEncoder.encode(job, recipients: [0])
        let again = try JobDecoder.decode(written) { "must not be asked" }
        #expect(again.isBroadcast)
        #expect(again.text(again.recipients[0].token) == job.text(job.recipients[0].token))
        #expect(again.expiration == job.expiration && again.priority == 5 && again.id == job.id)
        #expect(again.text(again.payload) == job.text(job.payload))
        #expect(String(decoding: written, as: UTF8.self).hasSuffix(#""channel":"\#(channel)"}"#))
        #expect(JobEncoder.encode(again, recipients: [0]) == written)
    }
}
