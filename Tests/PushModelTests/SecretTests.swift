import PushModel
import Testing

@Suite struct SecretTests {
    private static let secret = Secret("hunter2-hunter2".utf8)

    /// Returns the strings that a logger, a test or a debugger may make of a value.
    private static func renderings(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, printed,
            Mirror(reflecting: value).children.map { "\($0)" }.joined(),
        ]
    }

    private static func credential(_ kind: Credential.Kind) -> Credential {
        Credential(id: "1", kind: kind, account: "TEAM123456", environments: [.sandbox])
    }

    @Test func hidesBytesInEveryRendering() {
        let values: [Any] = [
            Self.secret, Optional(Self.secret) as Any, [Self.secret], ["key": Self.secret], (1, Self.secret),
            Result<Secret, JobRejection>.success(Self.secret),
            Self.credential(.token(keyID: "ABC123DEFG", privateKeyPEM: Self.secret)),
            Self.credential(.certificate(chainDER: [[1]], privateKeyDER: Self.secret)),
        ]
        let leaks = ["hunter2", "104, 117", "68756e74", "68 75 6e"]
        for value in values {
            for rendering in Self.renderings(of: value) {
                #expect(!leaks.contains { rendering.contains($0) }, "\(rendering)")
            }
        }
    }

    @Test func showsPlaceholderAsText() {
        #expect("\(Self.secret)" == "<secret>")
        #expect(String(reflecting: Self.secret) == "<secret>")
        #expect(Mirror(reflecting: Self.secret).children.isEmpty)
    }

    @Test func passesBytesToClosure() {
        #expect(Self.secret.withBytes { String(decoding: $0, as: UTF8.self) } == "hunter2-hunter2")
        #expect(Self.secret.count == 15)
        #expect(Self.secret == Secret("hunter2-hunter2".utf8))
        #expect(Self.secret != Secret("hunter3-hunter3".utf8))
    }
}
