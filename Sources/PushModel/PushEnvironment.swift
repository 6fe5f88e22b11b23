/// The provider's environment for a push. For Apple, the environment determines the host.
public enum PushEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case production
    case sandbox
}
