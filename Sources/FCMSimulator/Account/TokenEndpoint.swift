internal import PushSimulator

/// Google's endpoint for access tokens (RFC 6749, RFC 7523). The order of the checks was observed on the live service.
struct TokenEndpoint: Sendable {
    static let path = "/token"

    let accounts: AccountRegistry
    /// The lifetime of an access token, in seconds.
    let lifetime: Int64

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let longestAssertion = 3_600.0, clockTolerance = 300.0
    /// Google's token URL. Google's Python library uses it as the audience of all assertions, regardless of the URL in
    /// the account's file.
    private static let ownURL = "https://oauth2.googleapis.com/token"
    private static let knownScopes = "https://www.googleapis.com/auth/"
    private static let sendingScopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]

    /// An answer from the endpoint. It is a refusal if `error` is set.
    struct Reply {
        let status: Int
        let error: String?
        let body: String

        static func refused(_ error: String, _ description: String, status: Int = 400) -> Reply {
            Reply(
                status: status, error: error,
                body: #"{"error":\#(jsonText(error)),"error_description":\#(jsonText(description))}"#)
        }
    }

    /// Answers a request for an access token.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - now: the time in milliseconds since 1970.
    func answer(method: String, contentType: String, body: [UInt8], url: String, at now: Int64) -> Reply {
        guard method == "POST" else { return .refused("invalid_request", "Method Not Allowed", status: 405) }
        guard contentType.split(separator: ";").first?.lowercased() == "application/x-www-form-urlencoded",
            let form = FormText.read(body)
        else { return .refused("invalid_request", "Bad Request") }
        guard let grantType = form["grant_type"] else {
            return .refused("invalid_request", "Missing required parameter: grant_type")
        }
        guard grantType == Self.grantType else {
            return .refused("unsupported_grant_type", "Invalid grant_type: \(grantType)")
        }
        guard let assertion = form["assertion"].flatMap(Assertion.init) else {
            return .refused("invalid_request", "Bad Request")
        }
        if let issuer = assertion.issuer { accounts.noteTokenRequest(by: issuer) }
        return answer(assertion, url: url, at: now)
    }

    private func answer(_ assertion: Assertion, url: String, at now: Int64) -> Reply {
        let known = accounts.accounts(email: assertion.issuer, keyID: assertion.keyID)
        // The signature can be checked only if the issuer or the key is registered.
        if let signer = known.signer ?? known.issuer {
            guard known.signer != nil || assertion.keyID == nil, assertion.isSigned(by: signer),
                known.issuer == nil || known.issuer?.keyID == signer.keyID
            else { return .refused("invalid_grant", "Invalid JWT Signature.") }
        }
        guard let account = known.issuer else { return .refused("invalid_grant", "Invalid grant: account not found") }
        if let error = accounts.refusal(of: account.email)?.tokenError {
            return .refused(error, "Invalid JWT Signature.")
        }
        guard Self.isTimely(assertion, Double(now) / 1_000) else {
            return .refused(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your "
                    + "iat and exp values in the JWT claim.")
        }
        guard !assertion.scopes.isEmpty else {
            return .refused("invalid_scope", "Empty or missing scope not allowed.")
        }
        guard assertion.audience == url || assertion.audience == Self.ownURL else {
            return .refused("invalid_grant", "Invalid JWT: Failed audience check.")
        }
        return issue(account, assertion.scopes, at: now)
    }

    private static func isTimely(_ assertion: Assertion, _ now: Double) -> Bool {
        guard let issuedAt = assertion.issuedAt, let expiresAt = assertion.expiresAt else { return false }
        return expiresAt > issuedAt && expiresAt - issuedAt <= longestAssertion && expiresAt > now
            && issuedAt <= now + clockTolerance
    }

    private func issue(_ account: SimulatedAccount, _ scopes: [String], at now: Int64) -> Reply {
        guard scopes.contains(where: { $0.hasPrefix(Self.knownScopes) }) else {
            // Google interprets an unknown scope as the audience of an identity token.
            return Reply(status: 200, error: nil, body: #"{"id_token":"eyJhbGciOiJSUzI1NiJ9.e30.c2ltdWxhdGVk"}"#)
        }
        let token = AccessToken(
            email: account.email, project: account.project, expiresAt: now + lifetime * 1_000,
            maySend: scopes.contains(where: Self.sendingScopes.contains))
        let text = accounts.issue(token, at: now)
        return Reply(
            status: 200, error: nil,
            body: #"{"access_token":"\#(text)","expires_in":\#(lifetime),"token_type":"Bearer"}"#)
    }
}
