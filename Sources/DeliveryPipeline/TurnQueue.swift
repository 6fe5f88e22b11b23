package import Dispatch

/// A serial queue on which a pipeline takes its turns. A worker uses a dispatch queue. The simulation uses a queue in
/// virtual time.
package protocol TurnQueue: Sendable {
    /// Runs a closure later, after all closures that were passed before.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs a closure and returns its result. The queue runs no other closure meanwhile.
    func sync<Result>(execute work: () throws -> Result) rethrows -> Result

    /// Stops the process if the caller is not on the queue.
    func check()
}

extension DispatchQueue: TurnQueue {
    package func perform(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
    package func check() { dispatchPrecondition(condition: .onQueue(self)) }
}
