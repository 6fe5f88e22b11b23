import Foundations
import FCMOutput
import Foundation
import PushModel
import Testing

let scheme = "https:" + "//"

@Suite struct ServiceAccountTests {
    private func read(_ json: String, _ details: CredentialDetails = CredentialDetails()) throws -> NewCredential {
        try FCMCredentials().read(
            [CredentialFile(name: "account.json", contents: Secret(json.utf8))], details, now: Timestamp(seconds: 0))
    }

    @Test func createsCredentialFromServiceAccount() throws {
        let new = try read(SampleAccount.json())
        #expect(new.account == "shop-1a2b3" && new.label == "push@shop-1a2b3.iam.gserviceaccount.com")
        #expect(new.environments == [.production] && new.topics.isEmpty && new.fingerprint.count == 64)
        #expect(new.kind == .secret(Secret(SampleAccount.json().utf8)))
    }

    @Test func acceptsAccountForAnotherProject() throws {
        var details = CredentialDetails()
        details.account = "news-4c5d6"
        #expect(try read(SampleAccount.json(), details).account == "news-4c5d6")
        details.account = "../../x"
        #expect(throws: CredentialFault("../../x is not a project id")) { try read(SampleAccount.json(), details) }
    }

    @Test(arguments: [
        ("not json", "is not a service account in JSON"), ("[]", "is not a service account in JSON"),
        (SampleAccount.json(["type": "authorized_user"]), "has the type authorized_user"),
        (SampleAccount.json(["type": nil]), "has the type none"),
        (SampleAccount.json(["project_id": nil]), "has no project_id"),
        (SampleAccount.json(["client_email": ""]), "has no client_email"),
        (SampleAccount.json(["private_key_id": nil]), "has no private_key_id"),
        (SampleAccount.json(["token_uri": nil]), "has no token_uri"),
        (
            SampleAccount.json(["token_uri": "http:/" + "/oauth2.googleapis.com/token"]),
            "has a token_uri that is not a plain https URL"
        ),
        (
            SampleAccount.json(["token_uri": scheme + "user@oauth2.googleapis.com/token"]),
            "has a token_uri that is not a plain https URL"
        ),
        (
            SampleAccount.json(["token_uri": scheme + "oauth2.googleapis.com/token\r\nx"]),
            "has a token_uri that is not a plain https URL"
        ),
        (SampleAccount.json(["private_key": nil]), "has no private_key"),
        (
            SampleAccount.json(["private_key": "-----BEGIN PRIVATE KEY-----\\nnonsense"]),
            "has a private_key that cannot be read"
        ),
    ])
    func rejectsInvalidServiceAccount(json: String, problem: String) throws {
        let fault = try #require(throws: CredentialFault.self) { try read(json) }
        #expect(fault.description.hasPrefix("account.json: \(problem)"), "\(fault)")
        #expect(!fault.description.contains("BEGIN"))
    }

    @Test(arguments: [
        (scheme + "oauth2.googleapis.com/token", true), (scheme + "OAUTH2.googleapis.com/token", true),
        (scheme + "sts.googleapis.com:443/v1/token", true), (scheme + "accounts.google.com/o/oauth2/token", true),
        (scheme + "127.0.0.1:8443/token", true), (scheme + "LOCALHOST:8443/x", true), (scheme + "[::1]:8443/", true),
        (scheme + "localhost/token", false), (scheme + "127.0.0.1.example:8443/", false),
        (scheme + "oauth2.googleapis.com:8443/token", false), (scheme + "googleapis.com.evil.example/token", false),
        (scheme + "evilgoogleapis.com/token", false), (scheme + "127.0.0.1:8444/token", false),
        (scheme + "169.254.169.254/token", false),
    ])
    func allowsTokenURIsOfGoogleAndConfiguredHost(uri: String, isAllowed: Bool) throws {
        for host in ["127.0.0.1", "localhost", "::1"] {
            #expect(
                (try TokenURI(uri).problem(allowing: .init(host: host, port: 8_443)) == nil) == isAllowed, "\(host)")
        }
    }

    @Test func namesSettingForRefusedTokenURI() throws {
        let uri = try TokenURI(scheme + "tokens.invalid/token")
        #expect(
            uri.problem(allowing: nil)
                == "token_uri \(scheme)tokens.invalid/token is not Google's, and fcm.token_endpoint is not set: "
                + "correct the file, or set fcm.token_endpoint to tokens.invalid:443")
        #expect(
            uri.problem(allowing: .init(host: "localhost", port: 2_297))?.contains(
                "fcm.token_endpoint is localhost:2297:") == true)
    }
}

/// The JSON file of a service account that does not exist.
enum SampleAccount {
    private static let key = sampleKeyPEM

    static func json(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "type": "service_account", "project_id": "shop-1a2b3", "private_key_id": "0123abcd",
            "private_key": key, "client_email": "push@shop-1a2b3.iam.gserviceaccount.com",
            "token_uri": scheme + "oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
        ]
        for (name, value) in changes { members[name] = value }
        let data = try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
