import Crypto
package import PushModel

/// A row of `martlet.ledger`. It records the outcome of one recipient in one delivery of its job, or the rejection of a
/// job.
package struct LedgerRow: Sendable, Hashable {
    /// The time at which the worker determined the outcome.
    package var at: Timestamp
    package var kind: String
    package var job: String
    /// The name of the output, or `nil` if it could not be read from the job. The app and the environment can be `nil`
    /// for the same reason.
    package var output: String?
    package var app: String?
    package var environment: String?
    package var ref: String?
    /// The hash of the recipient's address (``hash(of:output:)``), or `nil` for a rejected job.
    package var recipient: [UInt8]?
    /// The provider's status code, or `nil` if the provider sent none.
    package var status: Int?
    package var reason: String?
    package var detail: String?
    /// The provider's id for the push, or `nil` if the provider gave none.
    package var providerID: String?
    package var attempts = 1
    package var isRedelivered = false
    package var worker: String?

    package init(at: Timestamp, kind: String, job: String) {
        self.at = at
        self.kind = kind
        self.job = job
    }

    /// Returns the hash that represents an address in the ledger, which does not store the address itself.
    ///
    /// - Parameter address: the address in canonical form.
    package static func hash(of address: String, output: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(output)\0\(address)".utf8)).prefix(16))
    }
}
