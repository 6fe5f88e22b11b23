extension Result where Failure == any Error {
    /// Returns the result of `body`, so that cleanup can run before an error is thrown on.
    static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
