import NIOSSL
import Foundations

/// A TLS context that many pools share. It is created when the first pool needs it. Creating a context takes 15 ms and
/// a megabyte of memory, because the context holds all authorities that the system trusts.
package final class SharedTLS: Sendable {
    private let context = Mutex<NIOSSLContext?>(nil)

    package init() {}

    func context(_ make: () throws -> NIOSSLContext) rethrows -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            let new = try make()
            context = new
            return new
        }
    }
}
