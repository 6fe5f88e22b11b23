/// The health of a credential for one topic, or for one app if the output has no topics. Lives on its pool's event loop;
/// jobs keep a reference, so that no push has to look it up.
package final class ScopeHealth {
    /// The topic, or `nil` for the health of one app.
    package let topic: String?
    // Only the pool's event loop uses the breaker, so exclusivity checks would cost time on the hot path and find nothing.
    @exclusivity(unchecked) package var breaker: Breaker

    init(topic: String?, breaker: Breaker) {
        self.topic = topic
        self.breaker = breaker
    }
}
