import APNSSimulator
import Foundation
import Testing

@Suite struct ProviderTokenTests {
    private let key = TestKey()
    private static let issued: Int64 = 1_800_000_000

    private func verify(_ authorization: String, strict: Bool) -> ProviderToken? {
        var verifier = ProviderTokenVerifier(isStrict: strict)
        verifier.register(key.tokenKey)
        return Array(authorization.utf8).withUnsafeBytes { verifier.verify($0) }
    }

    private func claims(iat: String = "1800000000") -> String {
        #"{"iss":"TEAM123456","iat":\#(iat)}"#
    }

    @Test func acceptsTokenAsDocumented() {
        let token = verify("bearer " + key.token(claims: claims()), strict: true)
        #expect(token?.team == "TEAM123456")
        #expect(token?.keyID == "KEY1234567")
        #expect(token?.issuedAt == Self.issued)
    }

    /// The live service is known to accept these deviations. A strict verifier does not.
    @Test func acceptsDeviationsOnlyWhenLenient() {
        let standard: (Data) -> String = { $0.base64EncodedString() }
        let deviations = [
            "Bearer " + key.token(claims: claims()),
            "bearer " + key.token(claims: claims(iat: #""1800000000""#)),
            "bearer " + key.token(claims: claims(), derSignature: true),
            "bearer " + key.token(claims: claims(), encode: standard),
            "bearer " + key.token(header: #"{"kid":"KEY1234567"}"#, claims: claims()),
        ]
        for deviation in deviations {
            #expect(verify(deviation, strict: false)?.issuedAt == Self.issued, "\(deviation)")
            #expect(verify(deviation, strict: true) == nil, "\(deviation)")
        }
    }

    /// RFC 7519, section 2, allows seconds with a fraction, such as those of Python's `time.time()`.
    @Test(arguments: ["1800000000.75", "1.8e9", "1800000000.0"])
    func acceptsTimeWithFraction(iat: String) {
        for strict in [false, true] {
            #expect(verify("bearer " + key.token(claims: claims(iat: iat)), strict: strict)?.issuedAt == Self.issued)
        }
    }

    /// Calculations with extreme times must not overflow and end the process.
    @Test(arguments: [
        "-9223372036854775808", "9223372036854775807", "-1e300", "1e300", #""-9223372036854775808""#, #""1e300""#, "0",
    ])
    func treatsExtremeTimesAsExpired(iat: String) throws {
        let token = try #require(verify("bearer " + key.token(claims: claims(iat: iat)), strict: false), "\(iat)")
        var rules = ProviderTokenRules()
        #expect(rules.admit(token, at: Self.issued) == .expiredProviderToken)
        var use = TokenUse()
        for other in [token, self.token("now"), token] { use.note(other, refusal: nil, at: Self.issued) }
        #expect(use.issued.count == 2 && use.shortestInterval ?? 0 > 0)
    }

    @Test(arguments: ["true", "null", "[]", #""soon""#, #""inf""#, #""nan""#, #""""#])
    func rejectsInvalidTime(iat: String) {
        #expect(verify("bearer " + key.token(claims: claims(iat: iat)), strict: false) == nil)
    }

    @Test func limitsNumberOfRecordedTokens() {
        var use = TokenUse()
        for number in 0..<10_100 { use.note(token("\(number)", issuedAt: Self.issued), refusal: nil, at: Self.issued) }
        #expect(use.issued.count == 10_000)
    }

    @Test func rejectsInvalidTokens() {
        let good = key.token(claims: claims())
        let parts = good.split(separator: ".")
        let forged = TestKey().token(claims: claims())
        let faulty = [
            "", "bearer ", "bearer x", "bearer a.b.c", "basic " + good, good, "bearer \(parts[0]).\(parts[1])",
            "bearer " + forged,
            "bearer \(parts[0]).\(base64URL(Data(claims(iat: "1800000001").utf8))).\(parts[2])",
            "bearer " + key.token(header: #"{"alg":"RS256","kid":"KEY1234567"}"#, claims: claims()),
            "bearer " + key.token(header: #"{"alg":"none","kid":"KEY1234567"}"#, claims: claims()),
            "bearer " + key.token(header: #"{"alg":"ES256","kid":"KEYUNKNOWN"}"#, claims: claims()),
            "bearer " + key.token(header: #"{"alg":"ES256"}"#, claims: claims()),
            "bearer " + key.token(claims: #"{"iss":"TEAMOTHERS","iat":1800000000}"#),
            "bearer " + key.token(claims: #"{"iss":"TEAM123456"}"#),
            "bearer " + key.token(claims: "[]"),
        ]
        for authorization in faulty {
            #expect(verify(authorization, strict: false) == nil, "\(authorization)")
        }
    }

    // MARK: Rules of a connection

    private func token(_ name: String, team: String = "TEAM123456", issuedAt: Int64 = issued) -> ProviderToken {
        ProviderToken(team: team, keyID: "KEY1234567", issuedAt: issuedAt, text: Array(name.utf8))
    }

    @Test(
        arguments: [
            (-301, RejectionReason.expiredProviderToken), (-300, nil), (0, nil), (3_600, nil),
            (3_601, .expiredProviderToken),
        ] as [(Int64, RejectionReason?)])
    func limitsTokenAge(age: Int64, expected: RejectionReason?) {
        var rules = ProviderTokenRules()
        #expect(rules.admit(token("a"), at: Self.issued + age) == expected)
    }

    @Test(
        arguments: [(1_199, RejectionReason.tooManyProviderTokenUpdates), (1_200, nil)] as [(Int64, RejectionReason?)])
    func refusesSecondTokenWithinTwentyMinutes(after seconds: Int64, expected: RejectionReason?) {
        var rules = ProviderTokenRules()
        // The connection begins with a token that is already 30 minutes old. The interval counts from the first use on
        // the connection.
        let opened = Self.issued + 1_800
        #expect(rules.admit(token("a"), at: opened) == nil)
        #expect(rules.admit(token("b", issuedAt: opened), at: opened + seconds) == expected)
        // A refused token does not replace the previous token.
        #expect(rules.admit(token("a"), at: opened + seconds) == (expected == nil ? .tooManyProviderTokenUpdates : nil))
    }

    @Test func bindsConnectionToFirstTeam() {
        var rules = ProviderTokenRules()
        #expect(rules.admit(token("a"), at: Self.issued) == nil)
        #expect(rules.admit(token("x", team: "TEAMOTHERS"), at: Self.issued + 1_500) == .invalidProviderToken)
        #expect(rules.admit(token("a"), at: Self.issued + 1_500) == nil)
    }

    @Test func doesNotBindConnectionToExpiredToken() {
        var rules = ProviderTokenRules()
        #expect(rules.admit(token("a"), at: Self.issued + 4_000) == .expiredProviderToken)
        #expect(
            rules.admit(token("b", team: "TEAMOTHERS", issuedAt: Self.issued + 4_000), at: Self.issued + 4_001) == nil)
    }
}
