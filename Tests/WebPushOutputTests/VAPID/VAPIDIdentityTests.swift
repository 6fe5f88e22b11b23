import Addressing
import PushModel
import Testing
import WebPushOutput

@Suite struct VAPIDIdentityTests {
    /// Whoever makes up origins without end takes no memory, and takes no token from those in use.
    @Test func itKeepsSoManyTokens() throws {
        let identity = try VAPIDIdentity(try Sending.credential(id: "1").credential)
        func token(_ number: Int, at second: Int64) throws -> VAPIDToken {
            let origin = Endpoint(host: "o\(number).up.example.com", port: 443)
            return try identity.token(for: origin, now: Timestamp(seconds: 1_000_000 + second))
        }
        let tokens = try (0..<VAPIDIdentity.maximumTokens).map { try token($0, at: Int64($0)) }
        let late = Int64(VAPIDIdentity.maximumTokens)
        #expect(try token(0, at: late) === tokens[0])
        _ = try token(VAPIDIdentity.maximumTokens, at: late + 1)
        #expect(try token(0, at: late + 2) === tokens[0], "it was used a moment ago")
        #expect(try token(2, at: late + 2) === tokens[2])
        #expect(try token(1, at: late + 2) !== tokens[1], "nobody had asked for it for the longest")
    }
}
