public import PushModel

/// The current backlog and throughput of a pipeline, by lane and by app.
public struct PipelineView: Sendable, Hashable {
    public struct LaneView: Sendable, Hashable {
        public let lane: Lane
        /// The number of jobs that were received and not yet started, including those of the lane's overflow queue.
        public let waiting: Int
        /// The number of jobs that were started and not yet settled.
        public let open: Int
        /// The number of recipients settled per second.
        public let rate: Int
        /// The age of the oldest job since its arrival, in seconds.
        public let age: Int

        public init(lane: Lane, waiting: Int = 0, open: Int = 0, rate: Int = 0, age: Int = 0) {
            (self.lane, self.waiting, self.open, self.rate, self.age) = (lane, waiting, open, rate, age)
        }
    }

    public struct AppView: Sendable, Hashable {
        /// The app's name in its jobs. A publisher may use any name, so the app need not be registered.
        public let app: String
        /// The number of jobs that were received and not yet started.
        public let waiting: Int
        /// The number of recipients that were started and not yet settled.
        public let inFlight: Int
        /// The number of recipients settled per second.
        public let rate: Int

        public init(app: String, waiting: Int, inFlight: Int, rate: Int) {
            (self.app, self.waiting, self.inFlight, self.rate) = (app, waiting, inFlight, rate)
        }
    }

    public let lanes: [LaneView]
    /// The apps that have jobs in this worker or recently had some.
    public let apps: [AppView]
    public let isDraining: Bool

    public init(lanes: [LaneView], apps: [AppView], isDraining: Bool) {
        (self.lanes, self.apps, self.isDraining) = (lanes, apps, isDraining)
    }
}
