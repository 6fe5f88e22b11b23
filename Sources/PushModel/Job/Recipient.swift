/// One device of a job, or whom a broadcast goes to: byte ranges into the job it belongs to, kept narrow because jobs have
/// thousands.
public struct Recipient: Sendable {
    private let tokenStart: UInt32
    private let tokenLength: UInt32
    private let addressStart: UInt32
    private let addressLength: UInt32
    private let refStart: UInt32
    private let refLength: UInt32
    private let payloadStart: UInt32
    private let payloadLength: UInt32
    /// When the app last handed in this token; nil when the publisher did not say.
    public let registeredAt: Timestamp?
    /// What its address is.
    public let kind: AddressKind

    /// All ranges must lie below 4 GiB, which the broker's own limit on a message ensures.
    package init(
        _ kind: AddressKind, token: Range<Int>, addressJSON: Range<Int>, ref: Range<Int>?, payload: Range<Int>?,
        registeredAt: Timestamp?
    ) {
        self.kind = kind
        tokenStart = UInt32(token.lowerBound)
        tokenLength = UInt32(token.count)
        addressStart = UInt32(addressJSON.lowerBound)
        addressLength = UInt32(addressJSON.count)
        refStart = UInt32(ref?.lowerBound ?? 0)
        refLength = UInt32(ref?.count ?? 0)
        payloadStart = UInt32(payload?.lowerBound ?? 0)
        payloadLength = UInt32(payload?.count ?? 0)
        self.registeredAt = registeredAt
    }

    /// The text of its address, unescaped: the token, the topic's name, the endpoint of a subscription.
    public var token: Range<Int> { Int(tokenStart)..<Int(tokenStart) + Int(tokenLength) }
    /// The JSON of its address as published: a string with its quotes, or a subscription's object.
    public var addressJSON: Range<Int> { Int(addressStart)..<Int(addressStart) + Int(addressLength) }
    /// The ref's JSON string, quotes included, to be echoed as it is.
    package var refJSON: Range<Int>? {
        refLength == 0 ? nil : Int(refStart)..<Int(refStart) + Int(refLength)
    }
    /// A payload that replaces the job's for this recipient.
    public var payload: Range<Int>? {
        payloadLength == 0 ? nil : Int(payloadStart)..<Int(payloadStart) + Int(payloadLength)
    }
}

extension Recipient {
    /// Appends the text of its address as a JSON string, as published where it was one.
    package func appendText(of job: Job, to output: inout [UInt8]) {
        guard kind == .subscription else { return output.append(contentsOf: job.bytes(addressJSON)) }
        JSONText.append(String(decoding: job.bytes(token), as: UTF8.self), to: &output)
    }
}
