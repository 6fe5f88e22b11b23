/// The queue a job waits in. Urgent overtakes normal, normal overtakes bulk.
public enum Lane: String, Sendable, Hashable, CaseIterable {
    case urgent
    case normal
    case bulk
}
