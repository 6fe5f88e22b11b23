import Foundations
import PushModel
import Testing
import WebPushOutput

@Suite struct VAPIDIdentityTests {
    /// Invented origins must neither exhaust memory nor evict tokens that are in use.
    @Test func evictsLeastRecentlyUsedToken() throws {
        let identity = try VAPIDIdentity(try Sending.credential(id: "1").credential)
        func token(_ number: Int, at second: Int64) throws -> VAPIDToken {
            let origin = Endpoint(host: "o\(number).up.example.com", port: 443)
            return try identity.token(for: origin, now: Timestamp(seconds: 1_000_000 + second))
        }
        let tokens = try (0..<VAPIDIdentity.maximumTokens).map { try token($0, at: Int64($0)) }
        let late = Int64(VAPIDIdentity.maximumTokens)
        #expect(try token(0, at: late) === tokens[0])
        _ = try token(VAPIDIdentity.maximumTokens, at: late + 1)
        #expect(try token(0, at: late + 2) === tokens[0], "token 0 was used recently")
        #expect(try token(2, at: late + 2) === tokens[2])
        #expect(try token(1, at: late + 2) !== tokens[1], "token 1 was unused for the longest time")
    }

    private static let origin = Endpoint(host: "push.example.com", port: 443)

    @Test func keepsProofWhenTokenIsRenewedOrRefused() throws {
        let identity = try VAPIDIdentity(try Sending.credential(id: "1").credential)
        func token(at second: Int64) throws -> VAPIDToken {
            try identity.token(for: Self.origin, now: Timestamp(seconds: 1_000_000 + second))
        }
        let first = try token(at: 0)
        #expect(first.proof.acceptedAt == nil)
        first.proof.accepted(uptime: 5_000)
        let renewed = try token(at: 12 * 3_600)
        #expect(renewed !== first && renewed.proof.acceptedAt == 5_000)
        first.proof.accepted(uptime: 6_000)
        #expect(renewed.proof.acceptedAt == 6_000, "an answer to the previous token counts, too")
        identity.refused(renewed, by: Self.origin)
        let signedAgain = try token(at: 12 * 3_600)
        #expect(signedAgain !== renewed && signedAgain.proof.acceptedAt == 6_000)
    }

    @Test func keepsProofOfSameKeyWhenCredentialChanges() throws {
        let key = VAPIDKey(subject: "mailto:push@example.com")
        let now = Timestamp(seconds: 1_000_000)
        let before = try VAPIDIdentity(try Sending.credential(id: "1", key).credential)
        let token = try before.token(for: Self.origin, now: now)
        token.proof.accepted(uptime: 5_000)

        let subject = key.with(subject: "https://example.com")
        let after = try VAPIDIdentity(try Sending.credential(id: "1", subject).credential, replacing: before)
        let new = try after.token(for: Self.origin, now: now)
        #expect(new.authorization != token.authorization && new.proof.acceptedAt == 5_000)

        let other = try VAPIDIdentity(try Sending.credential(id: "1").credential, replacing: before)
        #expect(try other.token(for: Self.origin, now: now).proof.acceptedAt == nil, "the credential has another key")
    }
}
