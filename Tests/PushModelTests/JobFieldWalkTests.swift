import PushModel
import PushTestSupport
import Testing

/// Tests that every field of a job is read, written and copied.
@Suite struct JobFieldWalkTests {
    /// Returns a JSON value of a field that differs from the field's default.
    private static func json(_ field: JobField) -> String {
        switch field {
        case .id: #""order-7""#
        case .app: #""com.example.shop""#
        case .output: #""discard""#
        case .environment: #""sandbox""#
        case .credential: #""11111111-2222-3333-4444-555555555555""#
        case .pushType: #""background""#
        case .topic: #""com.example.other""#
        case .priority: "5"
        case .rate: "2000"
        case .expiresAt: #""2026-11-22T12:00:00.000Z""#
        case .collapseID: #""news""#
        case .sendAt: #""2026-11-22T11:00:00Z""#
        case .atMostOnce, .trim, .validateOnly: "true"
        case .results: #""problems""#
        case .payload: #"{"aps":{}}"#
        case .channel: #""dGhlIGNoYW5uZWw=""#
        case .recipients:
            #"["aa",{"fid":"bb","ref":"r","registered_at":"2026-11-01T00:00:00.000Z","payload":"b"},"cc"]"#
        }
    }

    /// All fields that are allowed in a job for devices, and all that are allowed in a broadcast.
    private static let jobs: [[JobField]] = [
        JobField.allCases.filter { $0 != .channel },
        JobField.allCases.filter { ![.recipients, .topic, .collapseID].contains($0) },
    ]

    private func read(_ fields: [JobField]) throws -> Job {
        try Job.read("{" + fields.map { "\"\($0.name)\":\(Self.json($0))" }.joined(separator: ",") + "}")
    }

    /// Returns the values of a job that differ from the default, by their name in `JobFields`.
    private func said(_ job: Job) -> [String: String] {
        let defaults = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: JobFields()).children.map { ($0.label, "\($0.value)") })
        var said: [String: String] = [:]
        for child in Mirror(reflecting: job.fields).children where "\(child.value)" != defaults[child.label] {
            said[child.label ?? ""] = "\(child.value)"
        }
        return said
    }

    @Test func readsEveryField() throws {
        let said = try Set(Self.jobs.flatMap { try self.said(read($0)).keys })
        #expect(said == Set(Mirror(reflecting: JobFields()).children.compactMap(\.label)))
    }

    @Test(arguments: jobs) func readsBackEveryWrittenField(fields: [JobField]) throws {
        let job = try read(fields)
        let all = Array(job.recipients.indices)
        let written = JobEncoder.encode(job, recipients: all)
        let again = try JobDecoder.decode(written) { "must not be asked" }
        let text = String(decoding: written, as: UTF8.self)
        // `JobEncoder` omits `sendAt`, because a worker writes a job only after that time.
        for field in fields where field != .sendAt {
            #expect(text.contains("\"\(field.name)\":\(Self.json(field))"), "\(text)")
        }
        let moved = ["payload", "recipients", "sendAt"]
        #expect(said(again).filter { !moved.contains($0.key) } == said(job).filter { !moved.contains($0.key) })
        #expect(again.text(again.payload) == job.text(job.payload))
        #expect(JobEncoder.encode(again, recipients: all) == written)
    }

    @Test(arguments: jobs) func copiesEveryField(fields: [JobField]) throws {
        let job = try read(fields)
        let chosen = [job.recipients.count - 1]
        let some = job.limited(to: chosen)
        #expect(said(some).filter { $0.key != "recipients" } == said(job).filter { $0.key != "recipients" })
        #expect(some.recipients.map { some.text($0.token) } == chosen.map { job.text(job.recipients[$0].token) })
        #expect(some.body == job.body)
    }
}
