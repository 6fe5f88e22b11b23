import Crypto
public import PushModel

/// What became of one recipient in one delivery of its job, or of a job that can't be used: a row of `martlet.ledger`.
public struct LedgerRow: Sendable, Hashable {
    /// When the worker knew.
    public var at: Timestamp
    public var kind: String
    public var job: String
    /// nil for a job of which it could not be read, as the next ones.
    public var output: String?
    public var app: String?
    public var environment: String?
    public var ref: String?
    /// See ``hash(of:output:)``; nil: a job that can't be used.
    public var recipient: [UInt8]?
    /// The provider's; nil: it gave none.
    public var status: Int?
    public var reason: String?
    public var detail: String?
    /// What the provider calls the push.
    public var providerID: String?
    public var attempts = 1
    public var isRedelivered = false
    public var worker: String?

    public init(at: Timestamp, kind: String, job: String) {
        self.at = at
        self.kind = kind
        self.job = job
    }

    /// What stands for an address, which is not kept.
    ///
    /// - Parameter address: in its one form.
    public static func hash(of address: String, output: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(output)\0\(address)".utf8)).prefix(16))
    }
}
