/// An addressee of a job: a device, or the target of a broadcast. It stores byte ranges of the job and is kept small,
/// because jobs have thousands of recipients.
public struct Recipient: Sendable {
    private let tokenStart: UInt32
    private let tokenLength: UInt32
    private let addressStart: UInt32
    private let addressLength: UInt32
    private let refStart: UInt32
    private let refLength: UInt32
    private let payloadStart: UInt32
    private let payloadLength: UInt32
    /// The time at which the app last registered this token, or `nil` if the publisher did not state it.
    public let registeredAt: Timestamp?
    public let kind: AddressKind

    /// Creates a recipient. All ranges must lie below 4 GiB. ``JobReader`` ensures this by rejecting bodies of 2 GiB or
    /// more.
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

    /// The range of the address's unescaped text, for example a token, the name of a topic, or the endpoint of a
    /// subscription.
    public var token: Range<Int> { Int(tokenStart)..<Int(tokenStart) + Int(tokenLength) }
    /// The range of the address's JSON as published: a string with its quotes, or the object of a subscription.
    public var addressJSON: Range<Int> { Int(addressStart)..<Int(addressStart) + Int(addressLength) }
    /// The range of the ref's JSON string with its quotes, or `nil` if the recipient has no ref. Result events repeat
    /// the string unchanged.
    package var refJSON: Range<Int>? {
        refLength == 0 ? nil : Int(refStart)..<Int(refStart) + Int(refLength)
    }
    /// The range of the recipient's own payload, or `nil` if it receives the job's payload.
    public var payload: Range<Int>? {
        payloadLength == 0 ? nil : Int(payloadStart)..<Int(payloadStart) + Int(payloadLength)
    }
}

extension Recipient {
    /// Appends the text of the address as a JSON string. A string that the publisher wrote is copied unchanged.
    package func appendText(of job: Job, to output: inout [UInt8]) {
        guard kind == .subscription else { return output.append(contentsOf: job.bytes(addressJSON)) }
        JSONText.append(String(decoding: job.bytes(token), as: UTF8.self), to: &output)
    }
}
