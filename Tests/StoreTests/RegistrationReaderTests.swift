import Foundation
import PushModel
import Store
import Testing

@Suite struct RegistrationReaderTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func reader(_ change: (inout RegistrationRules) -> Void = { _ in }) -> RegistrationReader {
        var rules = RegistrationRules(
            apps: ["com.example.shop": .production, "com.example.news": .sandbox],
            recipients: ["apns": .hex(maximumDigits: 512)], outputsOfOneWorld: ["logbook"], now: Self.now)
        change(&rules)
        return RegistrationReader(rules: rules)
    }

    /// Returns the registration or the error of each line as text.
    private func read(_ lines: [String], _ change: (inout RegistrationRules) -> Void = { _ in }) -> [String] {
        var reader = reader(change)
        return lines.map { line in
            Array(line.utf8).withUnsafeBufferPointer { bytes in
                do throws(BadRegistration) {
                    guard let registration = try reader.read(bytes) else { return "-" }
                    let key = registration.key
                    return
                        "\(key.token) \(key.app) \(key.environment) \(registration.registeredAt.seconds) \(key.output)"
                } catch {
                    return "bad: \(error)"
                }
            }
        }
    }

    @Test func readsColumnsInDefaultOrNamedOrder() {
        #expect(
            read([
                "AA01,com.example.shop,sandbox,1700000000,apns", "aa02,com.example.shop", "",
                #""aa03","com.example.news",,2023-11-14T22:13:20Z"#,
            ]) == [
                "aa01 com.example.shop sandbox 1700000000 apns", "aa02 com.example.shop production 1800000000 apns",
                "-",
                "aa03 com.example.news sandbox 1700000000 apns",
            ])
        #expect(
            read(["registered_at,Token,app", "1700000000,aa01,com.example.shop"]) == [
                "-", "aa01 com.example.shop production 1700000000 apns",
            ])
    }

    /// An output with a single environment stores all tokens and marks there, regardless of the app's default.
    @Test func readsTokensOfOutputWithSingleEnvironment() {
        #expect(
            read([
                "Anna,com.example.news,,1700000000,logbook", "Anna,com.example.news,production,1700000000,logbook",
                "Anna,com.example.news,sandbox,1700000000,logbook",
            ]) == [
                "Anna com.example.news production 1700000000 logbook",
                "Anna com.example.news production 1700000000 logbook", "bad: environment: logbook has no sandbox",
            ])
        let lines = read(["Anna"]) { rules in
            (rules.app, rules.output, rules.environment) = ("com.example.shop", "logbook", .sandbox)
        }
        #expect(lines == ["bad: environment: logbook has no sandbox"])
    }

    @Test func takesMissingFieldsFromOptions() {
        let lines = read(["aa01", "aa02,com.example.news,production,1700000000"]) { rules in
            rules.app = "com.example.shop"
            rules.environment = .sandbox
            rules.registeredAt = Timestamp(seconds: 1_600_000_000)
        }
        #expect(
            lines == [
                "aa01 com.example.shop sandbox 1600000000 apns", "aa02 com.example.news production 1700000000 apns",
            ])
        #expect(
            read(["dGVzdA:x"]) {
                $0.app = "com.example.shop"; $0.output = "fcm"
            }.first?.hasSuffix(" fcm") == true)
    }

    @Test func readsJSONObjects() {
        #expect(
            read([
                #"{"token":"AA01","app":"com.example.shop","registered_at":1700000000}"#,
                #"{"app":"com.example.\u006eews", "token":"aa02","environment":null,"registered_at":"2023-11-14T22:13:20Z"}"#,
                "",
            ]) == [
                "aa01 com.example.shop production 1700000000 apns", "aa02 com.example.news sandbox 1700000000 apns",
                "-",
            ])
    }

    @Test(arguments: [
        ("aa0", "token: must have an even number of hex digits, at most 512"),
        ("zz", "token: has characters other than hex digits"),
        (",com.example.shop", "token: is missing"),
        ("aa,com.example.other", "app: com.example.other is not registered: add it with 'martlet app set'"),
        ("aa,com.example.shop,staging", "environment: must be production or sandbox"),
        ("aa,com.example.shop,,yesterday", "registered_at: must be unix seconds or an RFC 3339 date-time"),
        ("aa,com.example.shop,,1700000000000", "registered_at: 1700000000000 is out of range (is it in milliseconds?)"),
        ("aa,com.example.shop,,1800000301", "registered_at: 1800000301 is in the future"),
        ("aa,com.example.shop,,,apns,more", "has 6 fields, but there are 5 columns"),
        (#""aa"#, "a quoted field does not end"), (#""aa"b,com.example.shop"#, "text after a quoted field"),
    ])
    func reportsErrorInCSVLine(line: String, problem: String) {
        #expect(read([line]) { $0.app = "com.example.shop" } == ["bad: \(problem)"])
    }

    @Test(arguments: [
        (#"{"token":"aa","tokn":"bb"}"#, "tokn: is not a field of a registration"),
        (#"{"token":7}"#, "token: must be a string"), (#"{"token":"aa"} {}"#, "is not JSON"),
        (#"{"token""#, "is not JSON"),
        ("[]", "is not JSON"),
    ])
    func reportsErrorInJSONObject(line: String, problem: String) {
        let read = read([#"{"token":"aa"}"#, line]) { $0.app = "com.example.shop" }
        #expect(read[1].hasPrefix("bad: \(problem)"), "\(read)")
    }

    @Test(arguments: [("token,apps", "column apps: is not one of"), ("token,app,app", "column app: is given twice")])
    func reportsErrorInColumnNames(line: String, problem: String) {
        #expect(read([line])[0].hasPrefix("bad: \(problem)"))
    }

    @Test(arguments: [1, 2, 7, 1_000_000])
    func splitsLinesIndependentlyOfChunks(pieceSize: Int) {
        let longLine = String(repeating: "x", count: LineSplitter.longestLine)
        let text = "one\r\n\ntwo\n\(longLine)\n\(longLine)y\nlast"
        let bytes = Array(text.utf8)
        var splitter = LineSplitter()
        var lines: [String] = []
        func take(_ line: UnsafeBufferPointer<UInt8>?) {
            lines.append(line.map { String(decoding: $0, as: UTF8.self) } ?? "too long")
        }
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            splitter.feed(Array(bytes[start..<min(start + pieceSize, bytes.count)]), take)
        }
        splitter.end(take)
        #expect(lines == ["one", "", "two", longLine, "too long", "last"])
    }
}
