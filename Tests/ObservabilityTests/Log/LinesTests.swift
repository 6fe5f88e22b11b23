import Foundations
import Foundation
import Logging
import Observability
import PushModel
import Testing

/// The format of log lines, for any message and metadata.
@Suite struct LinesTests {
    private static let time = Timestamp(milliseconds: 1_763_860_662_123)
    private static let resource = LogResource(instance: "worker-1")

    private func line(
        _ message: String, _ metadata: Logger.Metadata = [:], level: Logger.Level = .warning
    ) -> LogLine {
        LogLine(at: Self.time, level: level, event: EventName("horn.blown"), message: message, metadata: metadata)
    }

    private func object(_ line: LogLine) throws -> [String: Any] {
        let bytes = JSONLine.bytes(line, Self.resource)
        #expect(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "the line must contain no control character")
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func writesJSONWithOpenTelemetryNames() throws {
        let line = line("It blows", ["app": "shop", "count": .stringConvertible(3), "ok": .stringConvertible(true)])
        let text = String(decoding: JSONLine.bytes(line, Self.resource), as: UTF8.self)
        #expect(
            text == """
                {"timestamp":"2025-11-23T01:17:42.123Z","severity_text":"warning","severity_number":13,"body":"It blows",\
                "resource":{"service.name":"martlet","service.version":"\(Build.version)",\
                "service.instance.id":"worker-1"},\
                "attributes":{"event.name":"horn.blown","app":"shop","count":3,"ok":true}}
                """)
    }

    /// Log collectors join logs and traces by these fields.
    @Test func writesTraceIDsBesideAttributes() throws {
        let object = try object(line("It blows", ["trace_id": "0af7", "span_id": "b7ad", "app": "shop"]))
        #expect(object["trace_id"] as? String == "0af7" && object["span_id"] as? String == "b7ad")
        #expect(object["attributes"] as? [String: String] == ["event.name": "horn.blown", "app": "shop"])
    }

    @Test func writesTextWithKeysAndValues() {
        let line = line(
            "It blows",
            [
                "app": "shop", "reason": "too \"loud\"", "empty": "", "list": ["a", "b"],
                "named": ["x": .stringConvertible(1), "y": ["z", "zz"]],
            ])
        #expect(
            line.text
                == #"2025-11-23T01:17:42.123Z warning horn.blown: It blows app=shop empty="" list=a,b named=x:1,y:z,zz reason="too \"loud\"""#
        )
    }

    @Test(arguments: [
        (Logger.Level.trace, 1), (.debug, 5), (.info, 9), (.notice, 10), (.warning, 13), (.error, 17), (.critical, 21),
    ])
    func writesSeverityNumberAndText(level: Logger.Level, number: Int) throws {
        let object = try object(line("a", level: level))
        #expect(object["severity_number"] as? Int == number && object["severity_text"] as? String == level.rawValue)
    }

    /// Strings that break parsers, terminals and lines.
    private static let nasty = [
        "", "\"", "\\", "\\\"", "a\nb\r\nc\td", "\u{0}\u{1}\u{1F}\u{7F}\u{9B}", "\u{1B}[2J", "\u{202E}\u{2066}\u{200B}",
        "\u{2028}\u{2029}", "é東京🎉", "\u{FFFF}\u{E0041}", "e\u{301}", "}{\"a\":1}", "\u{D7FF}\u{E000}\u{10FFFF}",
        String(decoding: [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self),
    ]

    @Test(arguments: nasty) func roundTripsAnyTextThroughJSON(text: String) throws {
        let line = line(text, [text: "\(text)", "list": ["\(text)", .dictionary([text: "\(text)"])]])
        let object = try object(line)
        #expect(object["body"] as? String == text)
        let attributes = try #require(object["attributes"] as? [String: Any])
        #expect(attributes[text] as? String == text)
        let list = try #require(attributes["list"] as? [Any])
        #expect(list.first as? String == text && (list.last as? [String: String])?[text] == text)
        #expect(line.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(line.text)")
    }

    @Test(arguments: [
        "x", "\u{1B}", "🎉", "\"", "\u{E0041}", "e\u{301}",
    ])
    func truncatesAndMarksHugeLines(piece: String) throws {
        let huge = String(repeating: piece, count: 2_000_000)
        for metadata: Logger.Metadata in [
            ["a": "\(huge)"], [huge: "a"], ["list": .array(Array(repeating: "\(huge)", count: 2_000))],
            .init(uniqueKeysWithValues: (0..<5_000).map { ("key-\($0)", "\(piece)") }),
        ] {
            let line = line(metadata.count == 1 ? huge : "short", metadata)
            let bytes = JSONLine.bytes(line, Self.resource)
            #expect(bytes.count < 40_000)
            let attributes = try #require(try object(line)["attributes"] as? [String: Any])
            #expect(attributes["log.cut"] as? Bool == true)
            #expect(attributes["event.name"] as? String == "horn.blown")
            #expect(line.text.utf8.count < 150_000 && line.text.contains("…"))
        }
    }

    @Test func truncatesDeeplyNestedMetadata() throws {
        var value: Logger.MetadataValue = "end"
        for _ in 0..<1_000 { value = ["down": value] }
        let attributes = try #require(try object(line("deep", ["top": value]))["attributes"] as? [String: Any])
        #expect(attributes["log.cut"] as? Bool == true)
    }

    /// The metadata comes from a random number generator with a fixed seed.
    @Test func writesValidJSONForRandomMetadata() throws {
        var random = Seeded(state: 13)
        for _ in 0..<2_000 {
            let line = line(random.text(), random.metadata(depth: 3))
            let object = try object(line)
            #expect(object["attributes"] is [String: Any] && object["resource"] is [String: Any])
            #expect(!line.text.contains("\n"))
        }
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }

        mutating func text() -> String {
            let count = Int.random(in: 0..<40, using: &self)
            return String(
                decoding: (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }, as: UTF8.self)
        }

        mutating func metadata(depth: Int) -> Logger.Metadata {
            var metadata: Logger.Metadata = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &self) { metadata[text()] = value(depth: depth) }
            return metadata
        }

        mutating func value(depth: Int) -> Logger.MetadataValue {
            switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &self) {
            case 0: .string(text())
            case 1: .stringConvertible(Int.random(in: .min ... .max, using: &self))
            case 2: .stringConvertible([Double.nan, .infinity, 0.1, -1e300].randomElement(using: &self) ?? 0)
            case 3: .stringConvertible(Bool.random(using: &self))
            case 4: .dictionary(metadata(depth: depth - 1))
            default: .array((0..<3).map { _ in value(depth: depth - 1) })
            }
        }
    }
}
