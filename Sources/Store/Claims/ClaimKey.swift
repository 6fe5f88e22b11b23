/// The key by which all workers identify a job or a part of a job.
package struct ClaimKey: Sendable, Hashable {
    /// The digest of the output, the app and the name. It is the first half of a SHA-256, written as a UUID.
    let uuid: String
    /// The lifetime of the claim, in seconds.
    let seconds: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: the id of the job, or the name of the part.
    ///   - isPart: whether `name` is the name of a part. The ids of jobs and the names of parts never collide, even if
    ///     a publisher chooses an id that equals the name of a part.
    package init(output: String, app: String, name: String, isPart: Bool = false, seconds: Int) {
        uuid = ClaimDigest.uuid(Array("\(output)\0\(app)\0\(isPart ? "part" : "job")\0\(name)".utf8))
        self.seconds = seconds
    }
}
