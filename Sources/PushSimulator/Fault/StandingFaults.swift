extension SimulatedService {
    /// The faults that apply until they are cleared: an answer, and the ``ServerFaults``.
    @dynamicMemberLookup
    public struct StandingFaults: Hashable, Sendable {
        public typealias Silence = ServerFaults.Silence

        /// The answer to all requests that pass the checks, or `nil` for the service's own answer. More specific
        /// choices take precedence.
        public var answer: Service.Answer?
        public var server = ServerFaults()

        public init() {}

        public subscript<Value>(dynamicMember member: WritableKeyPath<ServerFaults, Value>) -> Value {
            get { server[keyPath: member] }
            set { server[keyPath: member] = newValue }
        }
    }
}
