extension Result where Failure == any Error {
    /// What a body returns or throws, when something has to be done before it goes on its way.
    static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
