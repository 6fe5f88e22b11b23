internal import CLibPQ
import Foundation

/// A request that asks the server to cancel the statement that a connection is running.
// why: The compiler can't check the pointer, but libpq allows any thread to use the request (libpq manual, "Canceling
// Queries in Progress").
struct CancelRequest: @unchecked Sendable {
    private let request: OpaquePointer

    /// Creates a request, or returns `nil` if the connection is lost or memory is short.
    init?(_ connection: OpaquePointer) {
        guard let request = martlet_cancel_prepare(connection) else { return nil }
        self.request = request
    }

    /// Sends the request on a separate thread. The thread ends when the server has answered or can't be reached.
    func carryOut() {
        let thread = Thread { martlet_cancel_carry_out(request) }
        thread.name = "postgres cancel"
        thread.start()
    }
}
