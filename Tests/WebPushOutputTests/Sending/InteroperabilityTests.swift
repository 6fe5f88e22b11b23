import Foundations
import Foundation
import PushModel
import PushTestSupport
import TestSupport
import Testing
import WebPushOutput
import WireTestSupport

/// Messages from this output, decrypted by third-party libraries.
@Suite struct InteroperabilityTests {
    private struct Message: Encodable {
        let key: String
        let auth: String
        let body: String
        let authorization: String
        let origin: String
    }

    /// The libraries come from PyPI. The test is skipped, with a printed line, if they cannot be installed.
    @Test func sendsMessagesThatThirdPartyLibrariesRead() async throws {
        try await ScriptedServer.with(answer: { _ in .init(status: 201) }) { server in
            let origin = Endpoint(host: "localhost", port: server.port)
            let sending = try Sending(to: [origin], authorityFile: server.authorityFile)
            let texts = ["Grüße 🦆", "x", String(repeating: "y", count: 3_993)]
            let browsers = texts.indices.map { Browser(endpoint: "https://\(origin)/push/\($0)") }
            for (browser, text) in zip(browsers, texts) {
                await sending.send(try sending.job([browser], payload: "\"\(text)\""))
            }
            let messages = try zip(browsers, server.requests).map { browser, request in
                Message(
                    key: browser.privateKeyText, auth: browser.secretText, body: Base64URL.text(request.bytes),
                    authorization: try #require(request.fields["authorization"]), origin: "https://\(origin)")
            }
            let ended = try await Subprocess.run(
                [
                    "/usr/bin/python3", Project.root.appending(path: "Tests/WebPushOutputTests/Clients/read.py").path,
                    Project.root.appending(path: ".local/clients").path,
                ], environment: ["PYTHONDONTWRITEBYTECODE": "1"],
                input: String(decoding: try JSONEncoder().encode(messages), as: UTF8.self), within: .seconds(300))
            if ended.status == 77 {
                print("client http_ece: \(ended.output)", terminator: "")
            } else {
                #expect(ended.status == 0, "\(ended)")
                #expect(try JSONDecoder().decode([String].self, from: Data(ended.output.utf8)) == texts)
            }
            await sending.output.shutDown()
        }
    }
}
