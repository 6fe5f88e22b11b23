/// How a credential's pushes to one topic fare. Lives on its pool's event loop; jobs keep a reference, so that
/// no push has to look it up.
package final class TopicHealth {
    package let topic: String
    // One owner, one thread: nothing for exclusivity checks to find on the hot path.
    @exclusivity(unchecked) package var breaker: Breaker

    init(topic: String, breaker: Breaker) {
        self.topic = topic
        self.breaker = breaker
    }
}
