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
        uuid = ClaimDigest.uuid(Array("\(output)\0\(app)\0\(isPart ? "part" : "job")\0\(name)".utf8))
        self.seconds = seconds
    }
}
