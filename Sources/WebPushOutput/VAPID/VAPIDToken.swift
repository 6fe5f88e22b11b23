/// What proves to one origin who sends, for some hours. One for all event loops.
package final class VAPIDToken: Sendable {
    /// The value of `authorization`.
    package let authorization: String
    package let schedule: VAPIDTokenSchedule
    package let proof: KeyProof

    init(authorization: String, schedule: VAPIDTokenSchedule, proof: KeyProof) {
        self.authorization = authorization
        self.schedule = schedule
        self.proof = proof
    }
}
