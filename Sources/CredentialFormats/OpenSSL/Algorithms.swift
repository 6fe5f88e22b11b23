internal import COpenSSL

/// OpenSSL's algorithms for opening files, with the old ones that Keychain writes (RC2). They are a library context
/// of their own, so that the TLS of others in this process does not get them.
package final class Algorithms: Sendable {
    package static let shared = Algorithms(legacy: true)

    // why: OpenSSL locks a library context itself, and this one never changes after it is made
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether the system has OpenSSL's module with the old algorithms; some leave it out.
    let hasLegacy: Bool

    package init(legacy: Bool) {
        context = OSSL_LIB_CTX_new()
        _ = OSSL_PROVIDER_load(context, "default")
        hasLegacy = legacy && OSSL_PROVIDER_load(context, "legacy") != nil
        ERR_clear_error()
    }

    deinit { OSSL_LIB_CTX_free(context) }
}
