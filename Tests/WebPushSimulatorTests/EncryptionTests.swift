import Crypto
import SimulatorTestSupport
import Testing
import WebPushSimulator

/// Bodies that conform to RFC 8188 and RFC 8291, and bodies that do not.
@Suite struct EncryptionTests {
    @Test func decryptsExampleOfRFC8291() throws {
        // The example of RFC 8291, section 5 and appendix A.
        let body = try #require(
            UnpaddedBase64.decode(
                "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
                    + "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: try #require(UnpaddedBase64.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")))
        let message = try MessageCipher.open(
            body, with: key, try #require(UnpaddedBase64.decode("BTBZMqHH6r4Tts7J_aSIgg")))
        #expect(String(decoding: message.plaintext, as: UTF8.self) == "When I grow up, I want to be a watermelon")
        #expect(message.salt == UnpaddedBase64.decode("DGv6ra1nlYgDCS1FRnbzlw"))
        var damaged = body
        damaged[100] ^= 1
        #expect(throws: MessageCipher.Fault.self) { try MessageCipher.open(damaged, with: key, message.salt) }
    }

    struct Row: Sendable {
        let what: String
        var says: String?
        var plaintext: String?
        let change: @Sendable (inout TestMessage) -> Void
    }

    static let rows: [Row] = [
        Row(what: "unpadded", plaintext: "hello") { _ in },
        Row(what: "padded", plaintext: "hello") { $0.padding = [0, 0, 0] },
        Row(what: "empty plaintext", plaintext: "") { $0.plaintext = [] },
        Row(what: "plaintext that ends with a zero", plaintext: "a\0") { $0.plaintext = [0x61, 0] },
        Row(what: "record size one greater", plaintext: "hello") { $0.recordSize = $0.recordBytes + 1 },
        Row(what: "record size equal to the record", says: "record size") { $0.recordSize = $0.recordBytes },
        Row(what: "record size of two records", says: "record size") { $0.recordSize = 18 },
        Row(what: "longest plaintext", plaintext: String(repeating: "a", count: 3_993)) {
            $0.plaintext = [UInt8](repeating: 0x61, count: 3_993)
        },
        Row(what: "delimiter of a record that is not the last", says: "not 2") { $0.delimiter = 1 },
        Row(what: "padding that is not zero", says: "not 2") { $0.padding = [0, 1] },
        Row(what: "bytes after the tag", says: "decrypted") { $0.after = [0] },
        Row(what: "key id too short", says: "65 bytes") { $0.keyID = [UInt8](repeating: 4, count: 64) },
        Row(what: "key id is not a point", says: "not a point") { $0.keyID = [4] + [UInt8](repeating: 1, count: 64) },
        Row(what: "key id of another sender", says: "decrypted") {
            $0.keyID = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        },
    ]

    @Test func rejectsMalformedBodies() async throws {
        try await PushSession.run { session async throws in
            session.simulator.isRecording = true
            for row in Self.rows {
                var message = TestMessage()
                row.change(&message)
                let answer = try await session.send(.google, .init(message: message))
                #expect(answer.status == (row.says == nil ? 201 : 400), "\(row.what): \(answer)")
                #expect(answer.fields["x-simulator-detail"]?.contains(row.says ?? "") ?? true, "\(row.what): \(answer)")
                if let plaintext = row.plaintext {
                    #expect(session.simulator.recordedRequests.last?.payload == plaintext, "\(row.what)")
                }
            }
        }
    }

    @Test func rejectsReusedKeysAndSalts() async throws {
        try await PushSession.run { session async throws in
            let subscription = try session.subscribe(.google), message = TestMessage()
            #expect(try await session.send(.google, .init(message: message), to: subscription).status == 201)
            let again = try await session.send(.google, .init(message: message), to: subscription)
            #expect(
                again.status == 400 && again.fields["x-simulator-detail"] == "a sender key is reused", "\(again)")
            let salted = try await session.send(.google, .init(message: TestMessage(salt: message.salt)))
            #expect(salted.fields["x-simulator-detail"] == "a salt is reused", "\(salted)")
            let signer = try P256.KeyAgreement.PrivateKey(rawRepresentation: session.vapid.key.rawRepresentation)
            let one = try await session.send(.google, .init(message: TestMessage(key: signer)))
            #expect(one.fields["x-simulator-detail"] == "the message is encrypted with the VAPID key", "\(one)")
        }
    }

    @Test func limitsSizeOfBody() async throws {
        try await PushSession.run {
            $0.longestBodies = [.mozilla: 2_744]
        } _: { session async throws in
            func message(_ bytes: Int) -> PushSession.Push {
                .init(message: TestMessage(plaintext: [UInt8](repeating: 0x61, count: bytes - 103), recordSize: 8_192))
            }
            for persona in [Persona.apple, .google, .microsoft] {
                #expect(try await session.send(persona, message(4_096)).status == 201)
                #expect(try await session.send(persona, message(4_097)).status == 413)
            }
            #expect(try await session.send(.mozilla, message(2_744)).status == 201)
            let bridged = try await session.send(.mozilla, message(2_745))
            #expect(bridged.status == 413 && bridged.body.contains(#""errno":104"#), "\(bridged)")
        }
    }

    @Test func acceptsPushWithoutBody() async throws {
        try await PushSession.run { session async throws in
            #expect(
                try await session.send(.google, .init(message: nil, fields: [("content-encoding", nil)])).status == 201)
            #expect(try await session.send(.google, .init(message: nil)).status == 400, "no body to decode")
        }
    }
}
