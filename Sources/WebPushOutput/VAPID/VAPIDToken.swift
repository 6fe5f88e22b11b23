/// A token that identifies the sender to one origin for some hours. All event loops share it.
package final class VAPIDToken: Sendable {
    /// The value of the header field `authorization`.
    package let authorization: String
    package let schedule: VAPIDTokenSchedule
    package let proof: KeyProof

    init(authorization: String, schedule: VAPIDTokenSchedule, proof: KeyProof) {
        self.authorization = authorization
        self.schedule = schedule
        self.proof = proof
    }
}
