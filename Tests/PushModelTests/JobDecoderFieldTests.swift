import PushModel
import PushTestSupport
import Testing

/// Every field of a job in the table of docs/publish.md: its default, its valid values and its invalid values.
@Suite struct JobDecoderFieldTests {
    struct Good: Sendable, CustomTestStringConvertible {
        let json: String?
        let read: @Sendable (Job) -> String?
        let value: String?
        var testDescription: String { "\(json ?? "default") is \(value ?? "nil")" }

        init(_ json: String?, _ value: String?, _ read: @escaping @Sendable (Job) -> String?) {
            self.json = json
            self.value = value
            self.read = read
        }
    }

    private static let rfcMoment = Timestamp(seconds: 1_795_168_800)

    @Test(arguments: [
        Good(nil, "made-up") { $0.id }, Good(#""id":"order-8841""#, "order-8841") { $0.id },
        Good(#""id":"\u00e9\n""#, "é\n") { $0.id },
        Good(nil, "com.example.shop") { $0.app },
        Good(nil, "apns") { $0.output }, Good(#""output":"discard""#, "discard") { $0.output },
        Good(nil, nil) { $0.environment?.rawValue },
        Good(#""environment":"sandbox""#, "sandbox") { $0.environment?.rawValue },
        Good(#""environment":"production""#, "production") { $0.environment?.rawValue },
        Good(nil, nil) { $0.credential },
        Good(
            #""credential":"0B6E1F0C-6a51-4c7e-9d3a-2f1e0d9c8b7a""#, "0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7a"
        ) { $0.credential },
        Good(nil, nil) { $0.pushType }, Good(#""push_type":"voip""#, "voip") { $0.pushType },
        Good(nil, nil) { $0.topic }, Good(#""topic":"com.example.shop.voip""#, "com.example.shop.voip") { $0.topic },
        Good(nil, nil) { $0.priority.map(String.init) }, Good(#""priority":1"#, "1") { $0.priority.map(String.init) },
        Good(#""priority":5"#, "5") { $0.priority.map(String.init) },
        Good(#""priority":10"#, "10") { $0.priority.map(String.init) },
        Good(nil, nil) { $0.collapseID }, Good(#""collapse_id":"news""#, "news") { $0.collapseID },
        Good(nil, "nil") { "\($0.rate.map(String.init) ?? "nil")" },
        Good(#""rate":1"#, "1") { "\($0.rate.map(String.init) ?? "nil")" },
        Good(#""rate":1000000"#, "1000000") { "\($0.rate.map(String.init) ?? "nil")" },
        Good(nil, "false") { "\($0.atMostOnce)" }, Good(#""at_most_once":true"#, "true") { "\($0.atMostOnce)" },
        Good(#""at_most_once":false"#, "false") { "\($0.atMostOnce)" },
        Good(nil, "false") { "\($0.trim)" }, Good(#""trim":true"#, "true") { "\($0.trim)" },
        Good(nil, "all") { $0.results.rawValue }, Good(#""results":"all""#, "all") { $0.results.rawValue },
        Good(#""results":"problems""#, "problems") { $0.results.rawValue },
    ])
    func readsFields(good: Good) throws {
        let job = try Job.read(Job.sampleText([good.json].compactMap { $0 }))
        #expect(good.read(job) == good.value)
    }

    @Test(
        arguments: [
            (nil, nil), ("0", .nowOrNever), (#""1970-01-01T00:00:00Z""#, .nowOrNever), ("1795168800", .at(rfcMoment)),
            (#""2026-11-20T10:00:00Z""#, .at(rfcMoment)), (#""2026-11-20T12:00:00.000+02:00""#, .at(rfcMoment)),
            ("253402300799", .at(Timestamp(seconds: 253_402_300_799))),
        ] as [(String?, Job.Expiration?)])
    func readsExpiration(json: String?, expected: Job.Expiration?) throws {
        let members = json.map { [#""expires_at":\#($0)"#] } ?? []
        #expect(try Job.read(Job.sampleText(members)).expiration == expected)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let field: String
        let json: String
        let problem: String
        var testDescription: String { "\(field): \(json)" }

        init(_ field: String, _ json: String, _ problem: String) {
            self.field = field
            self.json = json
            self.problem = problem
        }
    }

    private static let timestampForm = "must be unix seconds or an RFC 3339 date-time"

    @Test(arguments: [
        Bad("id", "7", "must be a string"), Bad("id", #""""#, "must not be empty"),
        Bad("id", "null", "must be a string"),
        Bad("output", "[]", "must be a string"), Bad("output", #""""#, "must not be empty"),
        Bad("environment", "1", "must be a string"),
        Bad("environment", #""Production""#, "must be one of: production, sandbox"),
        Bad("credential", "7", "must be a string"), Bad("credential", #""""#, "must be a UUID"),
        Bad("credential", #""0b6e1f0c""#, "must be a UUID"),
        Bad("credential", #""0b6e1f0c-6a51-4c7e-9d3a-2f1e0d9c8b7g""#, "must be a UUID"),
        Bad("credential", #""0b6e1f0c06a5104c7e09d3a02f1e0d9c8b7a""#, "must be a UUID"),
        Bad("push_type", "{}", "must be a string"), Bad("push_type", #""""#, "must not be empty"),
        Bad("topic", "true", "must be a string"), Bad("priority", "7", "must be 1, 5 or 10"),
        Bad("priority", #""10""#, "must be a whole number"), Bad("priority", "5.0", "must be a whole number"),
        Bad("priority", "1e1", "must be a whole number"), Bad("priority", "-5", "must be 1, 5 or 10"),
        Bad("priority", "99999999999999999999", "must be a whole number"),
        Bad("collapse_id", "1", "must be a string"), Bad("collapse_id", #""""#, "must not be empty"),
        Bad("rate", "0", "must be a whole number from 1 to 1000000"),
        Bad("rate", "1000001", "must be a whole number from 1 to 1000000"),
        Bad("rate", "2.5", "must be a whole number"), Bad("rate", #""5""#, "must be a whole number"),
        Bad("at_most_once", "1", "must be true or false"), Bad("at_most_once", #""true""#, "must be true or false"),
        Bad("trim", "null", "must be true or false"), Bad("results", #""none""#, "must be one of: all, problems"),
        Bad("results", "false", "must be a string"),
        Bad("expires_at", "true", timestampForm), Bad("expires_at", "null", timestampForm),
        Bad("expires_at", #""tomorrow""#, timestampForm), Bad("expires_at", #""""#, timestampForm),
        Bad("expires_at", "1.5", "must be a whole number"),
        Bad("expires_at", "-1", "\(timestampForm); -1 is out of range (is it in milliseconds?)"),
        Bad("expires_at", "1795168800000", "\(timestampForm); 1795168800000 is out of range (is it in milliseconds?)"),
        Bad("expires_at", #""0000-01-01T00:00:00+00:01""#, timestampForm),
    ])
    func rejectsInvalidFields(bad: Bad) throws {
        let error = try #require(throws: JobRejection.self) {
            try Job.read(Job.sampleText([#""\#(bad.field)":\#(bad.json)"#]))
        }
        #expect(error.faults == [.init(field: bad.field, problem: bad.problem)])
    }

    @Test(arguments: [
        ("app", "7", "must be a string"), ("app", #""""#, "must not be empty"),
        ("payload", "[]", "must be an object"), ("payload", "7", "must be an object"),
        ("payload", "null", "must be an object"), ("recipients", "{}", "must be an array"),
        ("recipients", #""c0ffee""#, "must be an array"), ("recipients", "[]", "must not be empty"),
    ])
    func rejectsInvalidRequiredFields(field: String, json: String, problem: String) throws {
        let members = ["app": #""com.example.shop""#, "payload": "{}", "recipients": #"["c0ffee"]"#]
            .merging([field: json]) { $1 }.map { #""\#($0)":\#($1)"# }
        let error = try #require(throws: JobRejection.self) { try Job.read("{\(members.joined(separator: ","))}") }
        #expect(error.faults == [.init(field: field, problem: problem)])
    }

    @Test(arguments: ["app", "payload"])
    func reportsMissingFields(field: String) throws {
        let members = ["app": #""com.example.shop""#, "payload": "{}", "recipients": #"["c0ffee"]"#]
            .filter { $0.key != field }.map { #""\#($0)":\#($1)"# }
        let error = try #require(throws: JobRejection.self) { try Job.read("{\(members.joined(separator: ","))}") }
        #expect(error.faults == [.init(field: field, problem: "is required")])
    }

    @Test func limitsLengthOfIDAndCollapseID() throws {
        let id = String(repeating: "é", count: 128)
        #expect(try Job.sample(#""id":"\#(id)""#).id == id)
        let tooLong = #expect(throws: JobRejection.self) { try Job.sample(#""id":"\#(id)x""#) }
        #expect(tooLong?.description == "id: is longer than 128 characters")

        let collapseID = String(repeating: "é", count: 32)
        #expect(try Job.sample(#""collapse_id":"\#(collapseID)""#).collapseID == collapseID)
        let tooMany = #expect(throws: JobRejection.self) { try Job.sample(#""collapse_id":"\#(collapseID)x""#) }
        #expect(tooMany?.description == "collapse_id: is longer than 64 bytes (BadCollapseId)")
    }

    @Test(arguments: [("topic", 255, "BadTopic"), ("push_type", 64, "InvalidPushType")])
    func limitsLengthOfHeaderFields(field: String, bytes: Int, reason: String) throws {
        let longest = String(repeating: "x", count: bytes)
        _ = try Job.sample(#""\#(field)":"\#(longest)""#)
        let tooLong = #expect(throws: JobRejection.self) { try Job.sample(#""\#(field)":"\#(longest)x""#) }
        #expect(tooLong?.description == "\(field): is longer than \(bytes) bytes (\(reason))")
    }

    @Test(arguments: [
        (#""id":"own""#, "message", "own"), (nil, "message", "message"), (nil, "", "made-up"), (nil, nil, "made-up"),
    ])
    func usesMessageIDIfJobHasNoID(member: String?, messageID: String?, expected: String) throws {
        let text = Job.sampleText([member].compactMap { $0 })
        #expect(try Job.read(text, messageID: messageID).id == expected)
    }

    @Test(arguments: ["{}", #"{"aps":{"alert":"ü 😀 \u00e9 \/"},"n":1.50}"#, "{ \"a\" :\n\t[ 1 , 2 ] }"])
    func keepsPayloadByteForByte(payload: String) throws {
        let text = #"{"app":"ä","payload" :  \#(payload)  ,"recipients":["ab"]}"#
        let job = try Job.read(text)
        #expect(job.text(job.payload) == payload)
        #expect(String(decoding: job.body, as: UTF8.self) == text)
    }

    @Test func expiresAfterDeadline() throws {
        let job = try Job.sample(#""expires_at":100"#)
        #expect(!job.isExpired(at: Timestamp(milliseconds: 100_000)))
        #expect(job.isExpired(at: Timestamp(milliseconds: 100_001)))
        #expect(try !Job.sample(#""expires_at":0"#).isExpired(at: Timestamp(seconds: 100)))
        #expect(try !Job.sample().isExpired(at: Timestamp(seconds: 100)))
    }
}
