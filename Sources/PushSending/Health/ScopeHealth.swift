/// The health of a credential for one topic, or for one app if the output has no topics. The object is used only on the
/// pool's event loop. Jobs keep a reference to it, so that no push has to look it up.
package final class ScopeHealth {
    /// The topic, or `nil` for the health of one app.
    package let topic: String?
    // Exclusivity checks are off on this hot path, because only one thread uses this object.
    @exclusivity(unchecked) package var breaker: Breaker
    /// Whether a refusal of the credential opened the breaker, so that pushes of other topics or apps do not close it.
    @exclusivity(unchecked) var isCredentialRefused = false

    /// Whether a refusal of the topic is reported.
    var isReported = false

    init(topic: String?, breaker: Breaker) {
        self.topic = topic
        self.breaker = breaker
    }
}
