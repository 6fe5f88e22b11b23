/// The environment of the provider to which a push goes. For Apple, it determines the host.
public enum PushEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case production
    case sandbox
}
