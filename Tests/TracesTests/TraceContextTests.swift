import Testing
import Traces

@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"
    private static let plain = "00-\(trace)-\(span)-01"

    @Test(arguments: [
        (plain, true), ("00-\(trace)-\(span)-00", false), ("00-\(trace)-\(span)-03", true),
        ("00-\(trace)-\(span)-fe", false), ("00-\(trace)-\(span)-ff", true),
        // Future versions begin with the same fields and may append others.
        ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-may-come", true),
        ("fe-\(trace)-\(span)-00-", false),
    ])
    func parsesValidTraceparent(text: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect("\(context.trace)" == Self.trace && "\(context.span)" == Self.span)
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
        #expect(TraceContext(traceparent: context.traceparent) == context)
    }

    @Test(arguments: [
        "", "-", "00", "00-", plain + "-", plain + "-00", plain + "0", plain + " ", " " + plain,
        String(plain.dropLast()),
        "ff-\(trace)-\(span)-01", "ff-\(trace)-\(span)-01-x", "0-\(trace)-\(span)-01", "000-\(trace)-\(span)-01",
        "0x-\(trace)-\(span)-01", "0A-\(trace)-\(span)-01", "cc-\(trace)-\(span)-01.what", "cc-\(trace)-\(span)-0123",
        "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01", "00-\(trace)-\(span)-0F",
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace.dropLast())-\(span)-01", "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)0-01",
        "00-\(trace.dropLast())g-\(span)-01", "00-\(trace)-\(span.dropLast())\u{0}-01", "00-\(trace)-\(span)-1",
        "00-\(trace)-\(span)-0\u{FF11}", "00-\(trace)_\(span)-01", "00_\(trace)-\(span)-01", "00-\(trace)-\(span)_01",
        "00-\(trace)-\(span)-+1", "00-\(String(repeating: "é", count: 16))-\(span)-01",
        String(repeating: "0", count: 55), String(repeating: "-", count: 55), String(repeating: "a", count: 100_000),
    ])
    func rejectsInvalidTraceparent(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}

@Suite struct TraceStateTests {
    private static func members(_ count: Int) -> String {
        (0..<count).map { "k\($0)=v" }.joined(separator: ",")
    }

    private static let long = String(repeating: "x", count: 256)

    @Test(arguments: [
        "rojo=00f067aa0ba902b7", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "a=1, b=2 ,\tc=3", "a=1,,b=2",
        "fw529a3039@dt=FfJ/!~", "a/b*c-d_e@f=1", members(32), "a=\(long)", "a=\(long.dropLast(6)),b=\(long)",
    ])
    func acceptsValidTracestate(text: String) { #expect(TraceState.isGood(text)) }

    @Test(arguments: [
        "", "a", "=1", "a=", "A=1", "a=b=c", "a=\u{7F}", "a=é", "a=1\r\nx: y", "a=1,b", members(33), "ä=1",
        "a=\(long)x",
        "a=\(long),b=\(long)", "a=\(long.dropLast(4)),b=\(long)",
    ])
    func rejectsInvalidTracestate(text: String) { #expect(!TraceState.isGood(text)) }
}
