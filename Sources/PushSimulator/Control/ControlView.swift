internal import Foundation

/// Something that a control endpoint shows, as JSON.
public struct ControlView<Service: PushDouble>: Sendable {
    let path: String
    let json: @Sendable (PushSimulator<Service>, _ parameter: String) async throws -> Data

    /// - Parameter path: the last part may be a parameter, written with a colon.
    package init<Value: Encodable & Sendable>(
        _ path: String,
        _ value: @escaping @Sendable (PushSimulator<Service>, _ parameter: String) async throws -> Value
    ) {
        self.path = path
        json = { try ControlInput.json(await value($0, $1)) }
    }
}
