import CredentialFormats
import Foundation
import PackageSigning
import PushModel
import Testing

@Suite struct SigningIdentityTests {
    @Test func acceptsOnlyIssuerThatSignedCertificate() async throws {
        let authority = try await SigningAuthority()
        try await authority.issue("pass", SigningAuthority.pass)
        // A renewed authority may have the same name but has another key.
        try await authority.issue("renewed", "/CN=Developer Relations/OU=G4", by: "root", as: "authority")
        let leaf = try authority.certificate("pass.pem"), issuer = try authority.certificate("g4.cer")
        let renewed = try authority.certificate("renewed.pem"), root = try authority.certificate("root.pem")
        #expect(leaf.issuerDER == renewed.subjectDER && !leaf.isSigned(by: renewed) && leaf.isSigned(by: issuer))

        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        func identity(_ others: [Certificate], _ time: Timestamp? = nil) throws(PackageFault) -> SigningIdentity {
            try SigningIdentity(
                name: "pass.p12", chainDER: [leaf.der], privateKeyDER: Secret([]), others: others, now: time ?? now)
        }
        #expect(try identity([renewed, root, issuer]).issuers == [issuer])
        let missing = PackageFault(
            "pass.p12: the certificate of its issuer is missing, and Apple requires it: pass the certificate of /CN=Developer Relations/OU=G4 with --intermediate"
        )
        #expect(throws: missing) { try identity([renewed, root]) }
        #expect(throws: missing) { try identity([]) }
        // The issuer must be a certificate authority.
        try await authority.issue("mate", SigningAuthority.pass, by: "pass")
        let mate = try authority.certificate("mate.pem")
        #expect(
            throws: PackageFault(
                "mate.p12: its issuer Pass Type ID: pass.com.example.coffee is not a certificate authority")
        ) {
            try SigningIdentity(
                name: "mate.p12", chainDER: [mate.der], privateKeyDER: Secret([]), others: [leaf, issuer], now: now)
        }
        let many = Array(repeating: PackageFile(path: "a", bytes: []), count: 65_533)
        #expect(throws: PackageFault("65533 files are too many: the maximum is 65532")) {
            try SignedPackage.archive(many, .sha1, by: identity([issuer]))
        }
        let end = leaf.notAfter, start = issuer.notBefore
        #expect(throws: PackageFault("pass.p12: the certificate expired on \(end.rfc3339)")) {
            try identity([issuer], end)
        }
        #expect(throws: PackageFault("pass.p12: the certificate is not valid before \(leaf.notBefore.rfc3339)")) {
            try identity([issuer], Timestamp(milliseconds: start.milliseconds - 1))
        }
    }
}
