import Addressing
import Foundation
import Threading

/// Looks a host's name up on a thread of its own: the system's resolver can't be told to stop.
enum NameLookUp {
    private final class Answer: Sendable {
        let found = Mutex<Result<[String], HostAddresses.Failure>?>(nil)
    }

    /// - Throws: ``PostgresError`` with code `connectFailed`, or `closed` if the owner lost interest. A resolver that is
    ///   still asking keeps its thread until it gives up by itself.
    static func addresses(
        of name: String, within time: Duration, _ mailbox: Mailbox
    ) throws(PostgresError) -> [String] {
        let deadline = ContinuousClock.now + time
        let answer = Answer()
        let thread = Thread {
            let found = Result { () throws(HostAddresses.Failure) in try HostAddresses.of(name) }
            answer.found.withLock { $0 = found }
            mailbox.wakeUp.signal()
        }
        thread.name = "postgres lookup"
        thread.start()
        while true {
            if mailbox.isClosing { throw .closedByOwner }
            switch answer.found.withLock({ $0 }) {
            case .success(let addresses): return addresses
            case .failure(let failure): throw failed(name, failure.reason)
            case nil: break
            }
            guard .now < deadline else { throw failed(name, "no answer within \(time)") }
            mailbox.wakeUp.wait(until: deadline)
        }
    }

    private static func failed(_ name: String, _ reason: String) -> PostgresError {
        PostgresError(.connectFailed, "looking up \(name): \(reason)")
    }
}
