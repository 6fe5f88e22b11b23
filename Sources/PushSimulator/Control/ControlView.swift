internal import Foundation

/// A JSON document that the control endpoint provides at one path.
public struct ControlView<Service: PushDouble>: Sendable {
    let path: String
    /// Whether the view is computed from a JSON object in the request. Its method is then POST instead of GET.
    let takesBody: Bool
    let json: @Sendable (SimulatedService<Service>, _ parameter: String, _ body: Data) async throws -> Data

    /// Creates a view without a request body.
    ///
    /// - Parameter path: the path of the view. Its last part may be a parameter, which is written with a colon.
    package init<Value: Encodable & Sendable>(
        _ path: String,
        _ value: @escaping @Sendable (SimulatedService<Service>, _ parameter: String) async throws -> Value
    ) {
        self.path = path
        takesBody = false
        json = { simulator, parameter, _ in try ControlInput.json(await value(simulator, parameter)) }
    }

    /// Creates a view that is computed from the request's body.
    package init<Body: ControlBody, Value: Encodable & Sendable>(
        _ path: String, of body: Body.Type,
        _ value: @escaping @Sendable (SimulatedService<Service>, Body) async throws -> Value
    ) {
        self.path = path
        takesBody = true
        json = { simulator, _, json in
            try ControlInput.json(await value(simulator, try ControlInput.read(Strict<Body>.self, from: json).body))
        }
    }
}
