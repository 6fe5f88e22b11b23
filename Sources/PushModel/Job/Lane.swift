/// The priority lane in which a job waits. Urgent jobs overtake normal ones, and normal jobs overtake bulk ones.
public enum Lane: String, Sendable, Hashable, CaseIterable {
    case urgent
    case normal
    case bulk
}
