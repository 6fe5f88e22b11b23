internal import Foundation

/// Something that a control endpoint shows, as JSON.
public struct ControlView<Service: PushDouble>: Sendable {
    let path: String
    /// True: it is made of a JSON object that the request brings, by POST.
    let takesBody: Bool
    let json: @Sendable (PushSimulator<Service>, _ parameter: String, _ body: Data) async throws -> Data

    /// - Parameter path: the last part may be a parameter, written with a colon.
    package init<Value: Encodable & Sendable>(
        _ path: String,
        _ value: @escaping @Sendable (PushSimulator<Service>, _ parameter: String) async throws -> Value
    ) {
        self.path = path
        takesBody = false
        json = { simulator, parameter, _ in try ControlInput.json(await value(simulator, parameter)) }
    }

    /// What is made on demand.
    package init<Body: ControlBody, Value: Encodable & Sendable>(
        _ path: String, of body: Body.Type,
        _ value: @escaping @Sendable (PushSimulator<Service>, Body) async throws -> Value
    ) {
        self.path = path
        takesBody = true
        json = { simulator, _, json in
            try ControlInput.json(await value(simulator, try ControlInput.read(Strict<Body>.self, from: json).body))
        }
    }
}
