/// The health of a credential for one topic, or for one app if the output has no topics. The object is used only on the
/// pool's event loop. Jobs keep a reference to it, so that no push has to look it up.
package final class ScopeHealth {
    /// The topic, or `nil` for the health of one app.
    package let topic: String?
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) package var breaker: Breaker
    /// Whether the provider has stated that it refuses the credential for this topic or app, and the breaker has not
    /// closed since.
    @exclusivity(unchecked) var isCredentialRefused = false
    /// Whether the refusal of the credential for this topic or app is in doubt, because the provider may refuse the
    /// credential for all topics and apps. See ``PoolHealth``.
    var isHeldInDoubt = false
    /// Whether the refusal of this topic or app has been reported and has not ended.
    var isReported = false

    init(topic: String?, breaker: Breaker) {
        self.topic = topic
        self.breaker = breaker
    }
}
