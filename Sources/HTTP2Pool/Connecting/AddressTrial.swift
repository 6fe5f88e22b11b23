import NIOCore

/// The addresses that a new connection has not tried yet, and the error to report if every address of the name fails.
struct AddressTrial {
    let addresses: [SocketAddress]
    let failure: (any Error)?

    init(_ addresses: [SocketAddress], after failure: (any Error)? = nil) {
        (self.addresses, self.failure) = (addresses, failure)
    }

    /// Returns the trial without the address that failed. The first error that is not an `IOError` is kept, because it
    /// is more informative than a network error.
    func after(_ error: any Error, at address: SocketAddress) -> AddressTrial {
        let isTelling = failure.map { !($0 is IOError) } ?? false
        return AddressTrial(addresses.filter { $0 != address }, after: isTelling ? failure : error)
    }
}
