internal import COpenSSL

/// OpenSSL's algorithms for opening files, including the outdated ones that Keychain uses (RC2). They have a separate
/// library context, so that TLS in this process does not use the outdated algorithms.
package final class Algorithms: Sendable {
    package static let shared = Algorithms(legacy: true)

    // why: OpenSSL locks a library context itself, and this context never changes after its creation
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether the system has OpenSSL's legacy module with the outdated algorithms. Some systems omit it.
    let hasLegacy: Bool

    package init(legacy: Bool) {
        context = OSSL_LIB_CTX_new()
        _ = OSSL_PROVIDER_load(context, "default")
        hasLegacy = legacy && OSSL_PROVIDER_load(context, "legacy") != nil
        ERR_clear_error()
    }

    deinit { OSSL_LIB_CTX_free(context) }
}
