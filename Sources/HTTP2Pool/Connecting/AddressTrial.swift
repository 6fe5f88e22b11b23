import NIOCore

/// The addresses that a new connection has yet to try, and the error to report if none of a name's addresses accepts
/// it.
struct AddressTrial {
    let addresses: [SocketAddress]
    let failure: (any Error)?

    init(_ addresses: [SocketAddress], after failure: (any Error)? = nil) {
        (self.addresses, self.failure) = (addresses, failure)
    }

    /// Returns the trial without an address that failed. An error from a server is kept, because it says more than a
    /// later failure to reach one.
    func after(_ error: any Error, at address: SocketAddress) -> AddressTrial {
        let isTelling = failure.map { !($0 is IOError) } ?? false
        return AddressTrial(addresses.filter { $0 != address }, after: isTelling ? failure : error)
    }
}
