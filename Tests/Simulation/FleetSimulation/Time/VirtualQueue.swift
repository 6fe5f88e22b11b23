import DeliveryPipeline

/// The queue of a simulated worker's pipeline. Its closures run as events of the timeline.
struct VirtualQueue: TurnQueue {
    let timeline: Timeline

    func perform(_ work: @escaping @Sendable () -> Void) { timeline.after(microseconds: 0, work) }
    func sync<Result>(execute work: () throws -> Result) rethrows -> Result { try work() }
    func check() {}
}
