public import PushModel

/// With what a job is sent: decided once for all its recipients.
public struct Route: Sendable, Hashable {
    public let app: App
    public let environment: PushEnvironment
    public let credential: Credential
}
