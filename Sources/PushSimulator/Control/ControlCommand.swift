internal import Foundation

/// A command of the control endpoint and of fault scripts. Both accept the same parameters.
public struct ControlCommand<Service: PushDouble>: Sendable {
    package typealias Act = @Sendable (SimulatedService<Service>) async throws -> Void

    package enum Method: String, Sendable {
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The method and path of a command on the control endpoint.
    struct Route: Sendable {
        let method: Method
        let path: String
    }

    /// The command's route, or `nil` if only scripts accept the command.
    let route: Route?
    /// The command's name in scripts, or `nil` if scripts do not accept it.
    let step: AnyKey?
    private let fromBody: @Sendable (Data) throws -> Act
    private let fromStep: @Sendable (KeyedDecodingContainer<AnyKey>, AnyKey) throws -> Act

    /// Creates a command that takes its parameters from a JSON object.
    package init<Body: ControlBody>(
        _ method: Method, _ path: String, step: String? = nil, _ body: Body.Type,
        _ act: @escaping @Sendable (SimulatedService<Service>, Body) async throws -> Void
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

    /// Creates a command without parameters. Scripts write `true` as its value.
    package init(_ method: Method, _ path: String, step: String? = nil, _ act: @escaping Act) {
        route = Route(method: method, path: path)
        self.step = step.map { AnyKey($0) }
        fromBody = { _ in act }
        fromStep = { container, key in
            guard try container.decode(Bool.self, forKey: key) else {
                throw SimulatorError("\(key.stringValue): must be true")
            }
            return act
        }
    }

    /// Creates a command that takes one number and that only scripts accept.
    init(
        step: String, in range: ClosedRange<Int>,
        _ act: @escaping @Sendable (SimulatedService<Service>, Int) async throws -> Void
    ) {
        route = nil
        self.step = AnyKey(step)
        fromBody = { _ in { _ in } }
        fromStep = { container, key in
            let number = try container.number(key, in: range)
            return { try await act($0, number) }
        }
    }

    /// Reads the command's parameters from the body of a control request.
    ///
    /// - Throws: ``SimulatorError`` that names the invalid field.
    func read(from body: Data) throws -> Act {
        try fromBody(body)
    }

    /// Reads the command's parameters from a step of a script.
    ///
    /// - Throws: ``SimulatorError`` that names the step and the invalid field, or `DecodingError`.
    func read(from script: KeyedDecodingContainer<AnyKey>) throws -> Act {
        guard let step else { throw SimulatorError("must have exactly one command") }
        return try fromStep(script, step)
    }
}
