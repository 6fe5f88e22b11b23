internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A client that uses the control endpoint over HTTP, like the tests of another program.
package struct Control: Sendable {
    private let port: Int

    package init(port: Int) {
        self.port = port
    }

    package func send(
        _ method: String, _ path: String, _ body: String? = nil, fields: [String: String?] = [:]
    ) async throws -> (status: Int, body: String) {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }
}
