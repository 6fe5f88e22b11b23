/// One device of a job, or the channel of a broadcast: byte ranges into the job it belongs to, kept narrow because jobs have thousands.
public struct Recipient: Sendable {
    private let tokenStart: UInt32
    private let tokenLength: UInt32
    private let tokenJSONStart: UInt32
    private let tokenJSONLength: UInt32
    private let refStart: UInt32
    private let refLength: UInt32
    private let payloadStart: UInt32
    private let payloadLength: UInt32
    /// When the app last handed in this token; nil when the publisher did not say.
    public let registeredAt: Timestamp?

    /// `token`, `tokenJSON`, `ref` and `payload` must lie below 4 GiB, which the broker's own limit on a
    /// message ensures.
    package init(
        token: Range<Int>, tokenJSON: Range<Int>, ref: Range<Int>?, payload: Range<Int>?, registeredAt: Timestamp?
    ) {
        tokenStart = UInt32(token.lowerBound)
        tokenLength = UInt32(token.count)
        tokenJSONStart = UInt32(tokenJSON.lowerBound)
        tokenJSONLength = UInt32(tokenJSON.count)
        refStart = UInt32(ref?.lowerBound ?? 0)
        refLength = UInt32(ref?.count ?? 0)
        payloadStart = UInt32(payload?.lowerBound ?? 0)
        payloadLength = UInt32(payload?.count ?? 0)
        self.registeredAt = registeredAt
    }

    /// The token's text, unescaped.
    public var token: Range<Int> { Int(tokenStart)..<Int(tokenStart) + Int(tokenLength) }
    /// The token's JSON string, quotes included, as published.
    package var tokenJSON: Range<Int> { Int(tokenJSONStart)..<Int(tokenJSONStart) + Int(tokenJSONLength) }
    /// The ref's JSON string, quotes included, to be echoed as it is.
    package var refJSON: Range<Int>? {
        refLength == 0 ? nil : Int(refStart)..<Int(refStart) + Int(refLength)
    }
    /// A payload that replaces the job's for this recipient.
    public var payload: Range<Int>? {
        payloadLength == 0 ? nil : Int(payloadStart)..<Int(payloadStart) + Int(payloadLength)
    }
}
