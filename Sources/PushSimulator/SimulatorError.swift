/// Why the simulator can't start or do what was asked, for people.
public struct SimulatorError: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
