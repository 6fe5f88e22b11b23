import Crypto

/// What a job, or a part of one, is known by among all workers.
public struct ClaimKey: Sendable, Hashable {
    /// The beginning of a SHA-256, written as a UUID.
    let uuid: String
    /// How long it is remembered.
    let seconds: Int

    /// - Parameters:
    ///   - name: the job's id or a part's name.
    ///   - isPart: no job's id is taken for a part's name, whatever publishers make up.
    public init(output: String, app: String, name: String, isPart: Bool = false, seconds: Int) {
        let text = "\(output)\0\(app)\0\(isPart ? "part" : "job")\0\(name)"
        let digest = Array(SHA256.hash(data: Array(text.utf8)).prefix(16))
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        uuid = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
        self.seconds = seconds
    }
}
