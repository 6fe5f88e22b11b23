/// The health of a credential for one topic, or for one app if the output has no topics. The object is used only on the
/// pool's event loop. Jobs keep a reference to it, so that no push has to look it up.
package final class ScopeHealth {
    /// The topic, or `nil` for the health of one app.
    package let topic: String?
    // Exclusivity checks are off on this hot path, because only one thread uses this object.
    @exclusivity(unchecked) package var breaker: Breaker
    /// Whether the breaker is open because the provider refuses the credential for this topic or app.
    @exclusivity(unchecked) var isCredentialRefused = false
    /// Whether the breaker was opened while nothing showed whether the provider refuses the credential for this topic or
    /// app alone.
    var isHeldInDoubt = false
    /// Whether the refusal of this topic or app is reported.
    var isReported = false

    init(topic: String?, breaker: Breaker) {
        self.topic = topic
        self.breaker = breaker
    }
}
