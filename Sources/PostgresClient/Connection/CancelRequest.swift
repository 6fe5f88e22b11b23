internal import CLibPQ
import Foundation

/// Asks the server to stop a connection's statement.
// why: libpq manual, "Canceling Queries in Progress": may be used by another thread than the connection's.
struct CancelRequest: @unchecked Sendable {
    private let request: OpaquePointer

    /// nil when the connection is lost, or memory is short.
    init?(_ connection: OpaquePointer) {
        guard let request = martlet_cancel_prepare(connection) else { return nil }
        self.request = request
    }

    /// On a thread of its own, which ends when the server has answered, or can't be reached.
    func carryOut() {
        let thread = Thread { martlet_cancel_carry_out(request) }
        thread.name = "postgres cancel"
        thread.start()
    }
}
