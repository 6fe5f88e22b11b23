internal import Foundation

/// Something that a simulator can be told to do, by its control endpoint and by a script, in the same words.
public struct ControlCommand<Service: PushDouble>: Sendable {
    package typealias Act = @Sendable (PushSimulator<Service>) async throws -> Void

    package enum Method: String, Sendable {
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// Where the control endpoint takes it.
    struct Route: Sendable {
        let method: Method
        let path: String
    }

    /// nil: only scripts have it.
    let route: Route?
    /// What scripts call it; nil: none has it.
    let step: AnyKey?
    private let fromBody: @Sendable (Data) throws -> Act
    private let fromStep: @Sendable (KeyedDecodingContainer<AnyKey>, AnyKey) throws -> Act

    /// One that a JSON object says more about.
    package init<Body: ControlBody>(
        _ method: Method, _ path: String, step: String? = nil, _ body: Body.Type,
        _ act: @escaping @Sendable (PushSimulator<Service>, Body) async throws -> Void
    ) {
        route = Route(method: method, path: path)
        self.step = step.map { AnyKey($0) }
        fromBody = { json in
            let body = try ControlInput.read(Strict<Body>.self, from: json).body
            return { try await act($0, body) }
        }
        fromStep = { container, key in
            do {
                let body = try container.decode(Strict<Body>.self, forKey: key).body
                return { try await act($0, body) }
            } catch let error as SimulatorError {
                throw SimulatorError("\(key.stringValue): \(error)")
            }
        }
    }

    /// One of which there is no more to say; in a script it is `true`.
    package init(_ method: Method, _ path: String, step: String? = nil, _ act: @escaping Act) {
        route = Route(method: method, path: path)
        self.step = step.map { AnyKey($0) }
        fromBody = { _ in act }
        fromStep = { container, key in
            guard try container.decode(Bool.self, forKey: key) else {
                throw SimulatorError("\(key.stringValue): can only be true")
            }
            return act
        }
    }

    /// One that only scripts have: a number.
    init(
        step: String, in range: ClosedRange<Int>,
        _ act: @escaping @Sendable (PushSimulator<Service>, Int) async throws -> Void
    ) {
        route = nil
        self.step = AnyKey(step)
        fromBody = { _ in { _ in } }
        fromStep = { container, key in
            let number = try container.number(key, in: range)
            return { try await act($0, number) }
        }
    }

    /// - Throws: ``SimulatorError`` naming the field at fault.
    func read(from body: Data) throws -> Act {
        try fromBody(body)
    }

    /// - Throws: ``SimulatorError`` naming the step and its field at fault; DecodingError.
    func read(from script: KeyedDecodingContainer<AnyKey>) throws -> Act {
        guard let step else { throw SimulatorError("needs one thing to do") }
        return try fromStep(script, step)
    }
}
