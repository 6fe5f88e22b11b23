import AMQPClient
import Testing

/// Bodies of AMQP 1.0 publishers that RabbitMQ delivers as encoded sections (AMQP 1.0, parts 1.6 and 3.2).
@Suite struct EncodedBodyTests {
    private static let value: [UInt8] = [0x00, 0x53, 0x77]
    private static let data: [UInt8] = [0x00, 0x53, 0x75]
    private static let job = Array(#"{"a":"é"}"#.utf8)
    private static let short = UInt8(job.count)
    private static let long: [UInt8] = [0, 0, 0, short]

    private static func named(_ name: String) -> [UInt8] { [0x00, 0xA3, UInt8(name.utf8.count)] + Array(name.utf8) }

    private func fault(of body: [UInt8]) -> EncodedBody.Fault? {
        do throws(EncodedBody.Fault) {
            _ = try EncodedBody.content(of: body)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        value + [0xA1, short] + job, value + [0xB1] + long + job, value + [0xA0, short] + job,
        value + [0xB0] + long + job, data + [0xA0, short] + job, data + [0xB0] + long + job,
        data + [0xA0, 1] + job.prefix(1) + data + [0xB0, 0, 0, 0, short - 1] + job.dropFirst() + data + [0xA0, 0],
        [0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x77, 0xA1, short] + job, named("amqp:amqp-value:*") + [0xA1, short] + job,
        [0x00, 0xB3, 0, 0, 0, 16] + Array("amqp:data:binary".utf8) + [0xA0, short] + job,
        value + [0xA1, short] + job + [0x00, 0x53, 0x78, 0xC1, 1, 0],
        value + [0xA1, short] + job + [0x00, 0x53, 0x78, 0xD1, 0, 0, 0, 4, 0, 0, 0, 0],
    ])
    func readsStringOrBinary(body: [UInt8]) throws {
        #expect(try EncodedBody.content(of: body) == Self.job)
        for end in 0..<body.count {
            let cut = Array(body[..<end])
            // A body that is cut between two sections is valid but shorter.
            if let content = try? EncodedBody.content(of: cut) { #expect(Self.job.starts(with: content), "\(end)") }
        }
    }

    @Test func readsLargeString() throws {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 70_000)
        #expect(try EncodedBody.content(of: Self.value + [0xB1, 0x00, 0x01, 0x11, 0x70] + text) == text)
        #expect(try EncodedBody.content(of: Self.value + [0xA1, 0]) == [])
    }

    @Test(
        arguments: [
            ([0x00, 0x53, 0x76, 0xC0, 2, 1, 0x41], "an amqp-sequence"), (value + [0x40], "null"),
            (value + [0x41], "a boolean"), (value + [0xC1, 1, 0], "a map"),
            (value + [0xD1, 0, 0, 0, 4, 0, 0, 0, 0], "a map"),
            (value + [0x45], "a list"), (value + [0xC0, 1, 0], "a list"), (value + [0xA3, 1, 0x61], "a symbol"),
            (value + [0x71, 0, 0, 0, 1], "a number"), (value + [0xE0, 1, 0], "an array"),
            (value + [0x00, 0x53, 0x77], "a value of another type"), (value + [0xFF], "a value of another type"),
        ] as [([UInt8], String)])
    func namesTypeOfOtherValues(body: [UInt8], what: String) {
        #expect(fault(of: body) == .unsuitable(what))
    }

    @Test(
        arguments: [
            [], [0x00], [0x00, 0x53], [0x00, 0x53, 0x77], [0x00, 0x53, 0x77, 0xB1], [0x00, 0x53, 0x77, 0xA1, 5, 1],
            [0x00, 0x53, 0x77, 0xB1, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x00, 0x53, 0x70, 0xA1, 0], [0x00, 0x40, 0xA1, 0],
            [0x53, 0x77, 0xA1, 0], [0x00, 0x53, 0x75, 0xA1, 0], [0x00, 0x53, 0x78, 0xC1, 1, 0],
            [0x00, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x77, 0xA1, 0], named("amqp:nothing") + [0xA1, 0],
            // Two values, a value and data, bytes after the end, a footer that is no map, and a footer that is cut off.
            value + [0xA1, 0] + value + [0xA1, 0], value + [0xA1, 0] + data + [0xA0, 0], value + [0xA1, 0, 0],
            value + [0xA1, 0, 0x00, 0x53, 0x78, 0x40], value + [0xA1, 0, 0x00, 0x53, 0x78, 0xC1, 9, 0],
        ] as [[UInt8]])
    func rejectsMalformedBody(body: [UInt8]) {
        #expect(fault(of: body) == .malformed)
    }

    @Test(
        arguments: [
            ("amqp-1.0", value + [0xA1, 1, 0x7B], [0x7B]), ("amqp-1.0", [0x7B], [0x7B]), ("amqp-1.0", [], []),
            (nil, value + [0xA1, 1, 0x7B], value + [0xA1, 1, 0x7B]), ("job", [0x00], [0x00]),
        ] as [(String?, [UInt8], [UInt8])])
    func decodesOnlyBodiesEncodedByBroker(type: String?, body: [UInt8], content: [UInt8]) throws {
        let delivery = AMQPDelivery(
            tag: AMQPDeliveryTag(epoch: 1, queueIndex: 0, number: 1), isRedelivered: false, exchange: "",
            routingKey: "",
            properties: AMQPProperties(type: type), body: body)
        #expect(try delivery.content() == content)
    }
}
