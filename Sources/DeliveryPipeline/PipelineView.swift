public import PushModel

/// What a pipeline has to do just now, and how fast it is, by lane and by app.
public struct PipelineView: Sendable, Hashable {
    public struct LaneView: Sendable, Hashable {
        public let lane: Lane
        /// Jobs received and not started, those of the lane's overflow among them.
        public let waiting: Int
        /// Jobs started and not settled.
        public let open: Int
        /// Recipients settled in a second.
        public let rate: Int
        /// How long the oldest job has been here.
        public let age: Int

        public init(lane: Lane, waiting: Int = 0, open: Int = 0, rate: Int = 0, age: Int = 0) {
            (self.lane, self.waiting, self.open, self.rate, self.age) = (lane, waiting, open, rate, age)
        }
    }

    public struct AppView: Sendable, Hashable {
        /// As jobs name it: anybody may.
        public let app: String
        /// Jobs received and not started.
        public let waiting: Int
        /// Recipients taken on and not settled.
        public let inFlight: Int
        /// Recipients settled in a second.
        public let rate: Int

        public init(app: String, waiting: Int, inFlight: Int, rate: Int) {
            (self.app, self.waiting, self.inFlight, self.rate) = (app, waiting, inFlight, rate)
        }
    }

    public let lanes: [LaneView]
    /// Those that have something here.
    public let apps: [AppView]
    public let isDraining: Bool

    public init(lanes: [LaneView], apps: [AppView], isDraining: Bool) {
        (self.lanes, self.apps, self.isDraining) = (lanes, apps, isDraining)
    }
}
