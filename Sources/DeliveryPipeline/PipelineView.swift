package import PushModel

/// The current backlog and throughput of a pipeline, by lane and by app.
package struct PipelineView: Sendable, Hashable {
    package struct LaneView: Sendable, Hashable {
        package let lane: Lane
        /// The number of jobs that were received and not yet started, including those of the lane's waiting queues.
        package let waiting: Int
        /// The number of jobs that were started and not yet settled.
        package let open: Int
        /// The number of recipients settled per second.
        package let rate: Int
        /// The age of the oldest job since its arrival, in seconds. Unstarted jobs of paused or rate-limited apps are
        /// excluded while they may not start.
        package let age: Int

        package init(lane: Lane, waiting: Int = 0, open: Int = 0, rate: Int = 0, age: Int = 0) {
            (self.lane, self.waiting, self.open, self.rate, self.age) = (lane, waiting, open, rate, age)
        }
    }

    package struct AppView: Sendable, Hashable {
        /// The app's name in its jobs. A publisher may use any name, so the app need not be registered.
        package let app: String
        /// The number of jobs that were received and not yet started.
        package let waiting: Int
        /// The number of recipients that were started and not yet settled.
        package let inFlight: Int
        /// The number of recipients settled per second.
        package let rate: Int

        package init(app: String, waiting: Int, inFlight: Int, rate: Int) {
            (self.app, self.waiting, self.inFlight, self.rate) = (app, waiting, inFlight, rate)
        }
    }

    package let lanes: [LaneView]
    /// The apps that have jobs in this worker, or have recently had jobs here.
    package let apps: [AppView]
    package let isDraining: Bool

    package init(lanes: [LaneView], apps: [AppView], isDraining: Bool) {
        (self.lanes, self.apps, self.isDraining) = (lanes, apps, isDraining)
    }
}
