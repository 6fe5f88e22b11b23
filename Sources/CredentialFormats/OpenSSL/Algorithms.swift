internal import COpenSSL

/// OpenSSL's algorithms for opening files, including the old ones that Keychain uses (RC2). They have their own library
/// context, so that TLS in this process does not get the old algorithms.
package final class Algorithms: Sendable {
    package static let shared = Algorithms(legacy: true)

    // why: OpenSSL locks a library context itself, and this one never changes after its creation
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether the system has OpenSSL's module with the old algorithms. Some systems omit it.
    let hasLegacy: Bool

    package init(legacy: Bool) {
        context = OSSL_LIB_CTX_new()
        _ = OSSL_PROVIDER_load(context, "default")
        hasLegacy = legacy && OSSL_PROVIDER_load(context, "legacy") != nil
        ERR_clear_error()
    }

    deinit { OSSL_LIB_CTX_free(context) }
}
