import Crypto
import Foundation
import PushModel
import Testing
import WebPushOutput

@Suite struct VAPIDKeyTests {
    private struct Claims: Decodable, Equatable {
        let aud: String
        let exp: Int64
        let sub: String
    }

    @Test func signsTokenAsRFC8292Requires() throws {
        let key = VAPIDKey(subject: "mailto:push@example.com")
        let value = try key.authorization(
            for: "https://push.example.net", expiring: Timestamp(seconds: 1_795_168_800))
        let parts = try #require(value.wholeMatch(of: /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)/)).output
        #expect(String(parts.4) == key.publicKeyText)
        let header = try #require(Base64URL.bytes(String(parts.1)))
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(header)) == ["alg": "ES256", "typ": "JWT"])
        let claims = try JSONDecoder().decode(Claims.self, from: Data(try #require(Base64URL.bytes(String(parts.2)))))
        #expect(
            claims
                == Claims(aud: "https://push.example.net", exp: 1_795_168_800, sub: "mailto:push@example.com"))
        let publicKey = try P256.Signing.PublicKey(
            x963Representation: try #require(Base64URL.bytes(key.publicKeyText)))
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.bytes(String(parts.3))))
        #expect(publicKey.isValidSignature(signature, for: Data("\(parts.1).\(parts.2)".utf8)))
    }

    @Test func readsBackSealedKey() throws {
        let key = VAPIDKey(subject: "https://example.com/contact")
        let back = try VAPIDKey(sealed: try key.sealed())
        #expect(back.publicKeyText == key.publicKeyText)
        #expect(back.subject == key.subject)
        #expect(back.fingerprint == key.fingerprint && key.fingerprint.count == 64)
        #expect(key.publicKeyText.count == 87 && key.publicKeyText.hasPrefix("B"))
        #expect(throws: (any Error).self) { try VAPIDKey(sealed: Secret("{}".utf8)) }
    }

    @Test(arguments: [
        "mailto:push@yourdomain.com", "MAILTO:push@yourdomain.com", "https://yourdomain.com",
        "https://yourdomain.com:8443/contact?x", "mailto:push@example.com.de", "mailto:push@myexample.com",
        "mailto:push@test.yourdomain.com", "https://yourdomain.com/example.com",
    ])
    func acceptsValidSubjects(text: String) {
        #expect(VAPIDSubject.problem(of: text) == nil)
    }

    /// Apple refuses most of these subjects.
    @Test(arguments: [
        "", "push@yourdomain.com", "mailto:", "mailto:push", "mailto:@yourdomain.com", "mailto:push@",
        "mailto:push@localhost", "mailto: push@yourdomain.com", "mailto:<push@yourdomain.com>",
        "mailto:a@b@yourdomain.com", "http://yourdomain.com", "https://localhost/", "https://127.0.0.1/", "https:///x",
        "https://yourdomain.com:", "https://yourdomain.com:x", "https://yourdomain.com:65536",
        "https://yourdomain.com:+443", "mailto:push@exämple.com", "mailto:push@example", "mailto:push@yourdomain.com.",
    ])
    func rejectsInvalidSubjects(text: String) {
        #expect(VAPIDSubject.problem(of: text) != nil)
    }

    @Test(arguments: [
        "example.com", "home.arpa", "example.net", "example.org", "mail.example.com", "EXAMPLE.Com", "shop.example",
        "shop.test",
        "shop.invalid", "shop.localhost", "shop.onion", "printer.local", "host.internal", "a.b.Test",
    ])
    func rejectsSubjectInReservedDomain(host: String) {
        for text in ["mailto:push@\(host)", "https://\(host)", "https://\(host):8443/contact", "HTTPS://\(host)/?a"] {
            #expect(VAPIDSubject.problem(of: text)?.contains("a reserved domain") == true, "\(text)")
        }
        // A trailing dot names the same host.
        #expect(VAPIDSubject.problem(of: "mailto:push@\(host).") != nil)
        #expect(VAPIDSubject.problem(of: "https://\(host)./") != nil)
    }

    @Test func renewsTokensBeforeExpiry() {
        let start = Timestamp(seconds: 1_795_168_800)
        func at(_ hours: Double) -> Timestamp { Timestamp(seconds: start.seconds + Int64(hours * 3_600)) }
        let early = VAPIDTokenSchedule(now: start, random: 0)
        #expect(early.expires == at(12))
        #expect(!early.isDue(now: start) && !early.isDue(now: at(9.99)) && early.isDue(now: at(10)))
        let late = VAPIDTokenSchedule(now: start, random: 0.999)
        #expect(!late.isDue(now: at(10.9)) && late.isDue(now: at(11)))
        #expect(!early.isDue(now: at(-0.9)))
        #expect(early.isDue(now: at(-1.1)), "a token must not expire more than 12 hours from now")
    }
}
