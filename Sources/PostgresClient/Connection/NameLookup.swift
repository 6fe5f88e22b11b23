import Foundations
import Foundation

/// A look-up of a host name on a separate thread, because the system's resolver can't be stopped.
enum NameLookup {
    private final class Answer: Sendable {
        let found = Mutex<Result<[String], HostAddresses.Failure>?>(nil)
    }

    /// Returns the addresses of a name. After the time limit, the thread continues until the system's resolver returns.
    ///
    /// - Throws: ``PostgresError`` with code `connectFailed`, or with code `closed` if the owner closed the connection
    ///   meanwhile.
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
