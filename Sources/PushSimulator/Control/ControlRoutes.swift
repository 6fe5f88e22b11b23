internal import Foundation
internal import HTTPServing
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// The routes of the control endpoint for commands, views, scripts and records.
struct ControlRoutes<Service: PushDouble> {
    let simulator: SimulatedService<Service>

    /// Returns the function that answers the requests of the control endpoint.
    func answers() -> @Sendable (HTTPRequest) async -> HTTPResponse {
        var routes = RouteTable()
        for command in SimulatedService<Service>.allCommands { add(command, to: &routes) }
        for view in SimulatedService<Service>.allViews { add(view, to: &routes) }
        addTokens(to: &routes)
        addScript(to: &routes)
        addRecords(to: &routes)
        let gate = ControlGate(
            configuration: simulator.server.configuration, refused: simulator.server.controlRequestRefused)
        return { [routes] request in await gate.answer(request) { try await routes.answer(to: $0) } }
    }

    private func add(_ command: ControlCommand<Service>, to routes: inout RouteTable) {
        guard let route = command.route else { return }
        routes.add(HTTPMethod(rawValue: route.method.rawValue), route.path) { [simulator] request in
            try await command.read(from: request.data)(simulator)
            return HTTPResponse(.noContent)
        }
    }

    private func add(_ view: ControlView<Service>, to routes: inout RouteTable) {
        routes.add(view.takesBody ? .POST : .GET, view.path) { [simulator] request in
            .json(try await view.json(simulator, request.parameter, request.data))
        }
    }

    private func addTokens(to routes: inout RouteTable) {
        routes.add(.PUT, "answers/tokens/:token") { [simulator] request in
            let token = try Self.token(request)
            let choice = try ControlInput.read(
                ControlMessage.Choice<Service.Answer>.self, from: request.data)
            simulator.setAnswer(choice.answer, forToken: token, after: choice.after)
            return HTTPResponse(.noContent)
        }
        routes.add(.DELETE, "answers/tokens/:token") { [simulator] request in
            simulator.setAnswer(nil, forToken: try Self.token(request))
            return HTTPResponse(.noContent)
        }
    }

    /// Returns the token or token prefix in a request's path.
    private static func token(_ request: HTTPRequest) throws -> String {
        let written = request.parameter
        guard let token = written.removingPercentEncoding else {
            throw SimulatorError("token: '\(written)' is not percent-encoded")
        }
        try Service.check(token)
        return token
    }

    private func addScript(to routes: inout RouteTable) {
        routes.add(.POST, "faults/script") { [simulator] request in
            let script = try SimulatedService<Service>.FaultScript(json: request.data, source: "script")
            Task {
                do {
                    try await script.run(on: simulator)
                } catch {
                    simulator.logger.error("the script ended early", metadata: ["error": "\(error)"])
                }
            }
            return HTTPResponse(.accepted)
        }
    }

    private func addRecords(to routes: inout RouteTable) {
        routes.add(.GET, "requests") { [simulator] request in
            var recorded = ControlMessage.Recorded(
                arrivals: simulator.recordedArrivals, accepted: simulator.recordedAcceptances,
                requests: simulator.recordedRequests)
            if let token = request.queryValue("token").map(Service.canonical) {
                recorded.arrivals = recorded.arrivals.filter { $0.key.hasPrefix(token) }
                recorded.accepted = recorded.accepted.filter { $0.key.hasPrefix(token) }
                recorded.requests = recorded.requests.filter { $0.token.hasPrefix(token) }
            }
            return .json(try ControlInput.json(recorded))
        }
        routes.add(.GET, "ca.pem") { [simulator] _ in
            HTTPResponse(.ok, "application/x-pem-file", try simulator.caCertificatePEM)
        }
    }
}

extension HTTPRequest {
    /// The body. The control endpoint refuses a request whose body is too long before this is read.
    fileprivate var data: Data { body.map { Data($0.readableBytesView) } ?? Data() }
}

extension HTTPResponse {
    fileprivate static func json(_ json: Data) -> HTTPResponse {
        HTTPResponse(.ok, "application/json", ByteBuffer(bytes: json))
    }
}
