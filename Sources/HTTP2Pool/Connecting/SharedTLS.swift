import NIOSSL
import Threading

/// One TLS context for many pools, made when the first of them needs it: each takes 15 ms and a megabyte, with all the
/// authorities that the system trusts.
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
