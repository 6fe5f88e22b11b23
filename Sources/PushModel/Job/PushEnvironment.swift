/// Which of a provider's two worlds a push goes to. For Apple: the host it is sent to.
public enum PushEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case production
    case sandbox
}
