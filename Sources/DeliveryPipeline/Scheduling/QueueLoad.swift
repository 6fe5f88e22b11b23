import AMQPClient
import PushModel

/// What this worker has of one queue in the broker. A value.
struct QueueLoad {
    /// Jobs started and not settled.
    var open = 0
    /// Deliveries that are not settled, whatever is being done with them. Those of a lost connection are not among
    /// them: they take nothing of the prefetch.
    private(set) var held = 0
    /// Deliveries settled, whatever became of them.
    private var settlements = Pace()
    private var connection: UInt32?
    /// Of what was sent.
    var pace = Pace()
    /// nil where the prefetch does not change.
    var prefetch: PrefetchControl?

    init(prefetch: PrefetchControl?) {
        self.prefetch = prefetch
    }

    mutating func arrived(_ tag: AMQPDeliveryTag) {
        if connection != tag.epoch { (connection, held) = (tag.epoch, 0) }
        held += 1
    }

    mutating func settled(_ tag: AMQPDeliveryTag, at now: Timestamp) {
        guard connection == tag.epoch else { return }
        held -= 1
        settlements.settled(0, at: now)
    }

    mutating func disconnected() { (connection, held) = (nil, 0) }

    func isSettling(now: Timestamp) -> Bool { settlements.inASecond(now: now).jobs > 0 }
}
