internal import CLibPQ
import Foundation

/// A request to the server to stop a connection's statement.
// why: unchecked, because any thread may use the request (libpq manual, "Canceling Queries in Progress").
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
