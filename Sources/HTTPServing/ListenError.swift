import Glibc
import NIOCore

/// The reason why a server cannot listen on an address.
package struct ListenError: Error, CustomStringConvertible {
    package let description: String
    package let isPortInUse: Bool

    init(_ error: any Error) {
        let code = (error as? IOError)?.errnoCode
        isPortInUse = code == EADDRINUSE
        description =
            if let code {
                String(cString: strerror(code))
            } else if error is SocketAddressError.UnknownHost {
                "the host name is unknown"
            } else {
                "\(error)"
            }
    }
}
