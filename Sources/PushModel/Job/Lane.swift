/// The priority lane in which a job waits. Urgent jobs overtake normal jobs, and normal jobs overtake bulk jobs.
public enum Lane: String, Sendable, Hashable, CaseIterable {
    case urgent
    case normal
    case bulk
}
