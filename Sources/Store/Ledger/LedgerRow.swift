import Crypto
public import PushModel

/// A row of `martlet.ledger`, which records the outcome of one recipient in one delivery of its job, or a job that
/// can't be used.
public struct LedgerRow: Sendable, Hashable {
    /// The time at which the worker determined the outcome.
    public var at: Timestamp
    public var kind: String
    public var job: String
    /// The output, or `nil` if it could not be read from the job. The same applies to the next three properties.
    public var output: String?
    public var app: String?
    public var environment: String?
    public var ref: String?
    /// The hash of the address (``hash(of:output:)``), or `nil` for a job that can't be used.
    public var recipient: [UInt8]?
    /// The provider's status code, or `nil` if the provider sent none.
    public var status: Int?
    public var reason: String?
    public var detail: String?
    /// The provider's id of the push.
    public var providerID: String?
    public var attempts = 1
    public var isRedelivered = false
    public var worker: String?

    public init(at: Timestamp, kind: String, job: String) {
        self.at = at
        self.kind = kind
        self.job = job
    }

    /// Returns the hash that represents an address. The address itself is not stored.
    ///
    /// - Parameter address: the address in canonical form.
    public static func hash(of address: String, output: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(output)\0\(address)".utf8)).prefix(16))
    }
}
