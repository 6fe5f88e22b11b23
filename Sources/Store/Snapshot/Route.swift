public import PushModel

/// The app, environment and credential with which a job is sent. One route serves all recipients of the job.
public struct Route: Sendable, Hashable {
    public let app: App
    public let environment: PushEnvironment
    public let credential: Credential
}
