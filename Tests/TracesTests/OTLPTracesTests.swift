import Foundation
import PushModel
import Testing
import Traces

/// Tests of the JSON encoding of OTLP 1. The text is compared byte by byte where possible.
@Suite struct OTLPTracesTests {
    private let parent = TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    private func context(_ span: UInt64) throws -> TraceContext {
        TraceContext(trace: try #require(parent).trace, span: try #require(SpanID(span)), isSampled: true)
    }

    private func text(_ spans: [Span]) -> String {
        String(
            decoding: OTLPTraces.body(spans, resource: [("service.name", "martlet")], version: "1.2"), as: UTF8.self)
    }

    private func whole(_ spans: String) -> String {
        let schema = #""schemaUrl":"\#(OTLPTraces.schema)""#
        let resource = #"{"attributes":[{"key":"service.name","value":{"stringValue":"martlet"}}]}"#
        let scope = #"{"name":"martlet","version":"1.2"}"#
        return
            #"{"resourceSpans":[{"resource":\#(resource),"scopeSpans":[{"scope":\#(scope),"spans":[\#(spans)],\#(schema)}],\#(schema)}]}"#
    }

    @Test func encodesNoSpansAsEmptyList() { #expect(text([]) == whole("")) }

    @Test func encodesMinimalSpan() throws {
        let span = Span(
            "route", .internal, try context(1), parent: SpanID(2), state: nil,
            from: Timestamp(milliseconds: 1_800_000_000_123), to: Timestamp(milliseconds: 1_800_000_000_000))
        let trace = "0af7651916cd43dd8448eb211c80319c"
        #expect(
            text([span])
                == whole(
                    #"{"traceId":"\#(trace)","spanId":"0000000000000001","parentSpanId":"0000000000000002","flags":257,"name":"route","kind":1,"startTimeUnixNano":"1800000000123000000","endTimeUnixNano":"1800000000123000000","attributes":[]}"#
                ))
    }

    @Test func encodesAllFieldsOfSpan() throws {
        let parent = try #require(parent)
        var span = Span(
            "process \"a\"", .consumer, try context(0xFFFF_FFFF_FFFF_FFFF), parent: parent.span, parentIsRemote: true,
            state: "a=1", from: Timestamp(milliseconds: 1), to: Timestamp(milliseconds: 2))
        span.attributes = [
            .init("text", .text("ü\n\u{1}")), .init("number", .integer(.max)), .init("flag", .boolean(true)),
        ]
        span.events = [.init("outcome", at: Timestamp(milliseconds: 2), [.init("count", .integer(-1))])]
        span.links = [.init(parent, state: "a=1"), .init(try context(3), state: nil)]
        span.error = "Rejected"
        let body = try JSONSerialization.jsonObject(with: Data(text([span]).utf8)) as? [String: Any]
        let resource = (body?["resourceSpans"] as? [[String: Any]])?.first
        let scope = (resource?["scopeSpans"] as? [[String: Any]])?.first
        let shown = try #require((scope?["spans"] as? [[String: Any]])?.first)
        #expect(
            shown["spanId"] as? String == "ffffffffffffffff" && shown["parentSpanId"] as? String == "b7ad6b7169203331")
        #expect(
            shown["traceState"] as? String == "a=1" && shown["flags"] as? Int == 0x301 && shown["kind"] as? Int == 5)
        #expect(shown["name"] as? String == "process \"a\"" && shown["endTimeUnixNano"] as? String == "2000000")
        #expect(shown["status"] as? NSDictionary == ["code": 2, "message": "Rejected"])
        #expect(
            shown["attributes"] as? NSArray == [
                ["key": "text", "value": ["stringValue": "ü\n\u{1}"]],
                ["key": "number", "value": ["intValue": "9223372036854775807"]],
                ["key": "flag", "value": ["boolValue": true]],
            ])
        #expect(
            shown["events"] as? NSArray == [
                [
                    "timeUnixNano": "2000000", "name": "outcome",
                    "attributes": [["key": "count", "value": ["intValue": "-1"]]],
                ] as NSDictionary
            ])
        let links = shown["links"] as? [[String: Any]]
        #expect(links?.map { $0["spanId"] as? String } == ["b7ad6b7169203331", "0000000000000003"])
        #expect(links?.map { $0["traceState"] as? String } == ["a=1", nil])
    }

    @Test(arguments: ["x", "é", "😀", "\"", "e\u{301}"]) func truncatesLongAttribute(character: String) throws {
        var span = Span(
            "s", .internal, try context(1), parent: nil, state: nil, from: Timestamp(seconds: 1),
            to: Timestamp(seconds: 1))
        span.attributes = [.init("long", .text("a" + String(repeating: character, count: 5_000)))]
        let text = text([span])
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil)
        #expect(text.utf8.count < 4_000)
    }
}
