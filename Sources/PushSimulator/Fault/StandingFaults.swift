extension PushSimulator {
    /// What the simulator does wrong until it is told to stop: an answer, and what ``ServerFaults`` has.
    @dynamicMemberLookup
    public struct StandingFaults: Hashable, Sendable {
        public typealias Silence = ServerFaults.Silence

        /// The answer to all requests that pass the checks, unless one was chosen for them.
        public var answer: Service.Answer?
        public var server = ServerFaults()

        public init() {}

        public subscript<Value>(dynamicMember member: WritableKeyPath<ServerFaults, Value>) -> Value {
            get { server[keyPath: member] }
            set { server[keyPath: member] = newValue }
        }
    }
}
