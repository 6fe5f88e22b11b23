import Crypto
public import PushModel

/// A row of `martlet.ledger`. It records the outcome of one recipient in one delivery of its job, or the rejection of a
/// job.
public struct LedgerRow: Sendable, Hashable {
    /// The time at which the worker determined the outcome.
    public var at: Timestamp
    public var kind: String
    public var job: String
    /// The name of the output, or `nil` if it could not be read from the job. The app and the environment can be `nil`
    /// for the same reason.
    public var output: String?
    public var app: String?
    public var environment: String?
    public var ref: String?
    /// The hash of the recipient's address (``hash(of:output:)``), or `nil` for a rejected job.
    public var recipient: [UInt8]?
    /// The provider's status code, or `nil` if the provider sent none.
    public var status: Int?
    public var reason: String?
    public var detail: String?
    /// The provider's id of the push, or `nil` if the provider gave none.
    public var providerID: String?
    public var attempts = 1
    public var isRedelivered = false
    public var worker: String?

    public init(at: Timestamp, kind: String, job: String) {
        self.at = at
        self.kind = kind
        self.job = job
    }

    /// Returns the hash that represents an address in the ledger, which does not store the address itself.
    ///
    /// - Parameter address: the address in canonical form.
    public static func hash(of address: String, output: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(output)\0\(address)".utf8)).prefix(16))
    }
}
