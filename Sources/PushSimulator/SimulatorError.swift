internal import Foundations
internal import Glibc
internal import NIOCore

/// The reason why the simulator cannot start or run a command, as text for operators.
public struct SimulatorError: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    init(cannotListenOn endpoint: Endpoint, _ error: any Error) {
        let why = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        self.init("cannot listen on \(endpoint): \(why)")
    }
}
