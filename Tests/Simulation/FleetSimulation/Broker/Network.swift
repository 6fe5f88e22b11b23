/// The network between one worker and the broker.
final class Network {
    let timeline: Timeline
    let broker: ModelBroker
    let dice: Dice
    /// Whether new connections succeed.
    var isReachable = true

    init(_ timeline: Timeline, _ broker: ModelBroker, _ dice: Dice) {
        self.timeline = timeline
        self.broker = broker
        self.dice = dice
    }

    /// Returns the time that a message takes in one direction, in microseconds.
    func delay() -> Int64 { 300 + dice.wait(mean: 500) }
}
