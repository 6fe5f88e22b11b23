import NIOCore

/// The addresses that a new connection has still to try, and what is told if none of a name's lets us in.
struct AddressTrial {
    let addresses: [SocketAddress]
    let failure: (any Error)?

    init(_ addresses: [SocketAddress], after failure: (any Error)? = nil) {
        (self.addresses, self.failure) = (addresses, failure)
    }

    /// That nobody was reached says less than what a server did.
    func after(_ error: any Error, at address: SocketAddress) -> AddressTrial {
        let isTelling = failure.map { !($0 is IOError) } ?? false
        return AddressTrial(addresses.filter { $0 != address }, after: isTelling ? failure : error)
    }
}
