internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The routes of the control endpoint for commands, views, scripts and records.
struct ControlRoutes<Service: PushDouble> {
    typealias Context = ControlGate.Context

    let simulator: SimulatedService<Service>

    func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(
            middleware: ControlGate(
                configuration: simulator.server.configuration, refused: simulator.server.controlRequestRefused))
        for command in SimulatedService<Service>.allCommands { add(command, to: router) }
        for view in SimulatedService<Service>.allViews { add(view, to: router) }
        addTokens(to: router)
        addScript(to: router)
        addRecords(to: router)
        return router
    }

    private func add(_ command: ControlCommand<Service>, to router: Router<Context>) {
        guard let route = command.route, let method = HTTPRequest.Method(rawValue: route.method.rawValue) else {
            return
        }
        router.on(RouterPath(route.path), method: method) { [simulator] request, _ in
            try await command.read(from: try await bytes(of: request))(simulator)
            return HTTPResponse.Status.noContent
        }
    }

    private func add(_ view: ControlView<Service>, to router: Router<Context>) {
        let name = view.path.split(separator: ":").dropFirst().last
        router.on(RouterPath(view.path), method: view.takesBody ? .post : .get) { [simulator] request, context in
            let parameter = try name.map { try context.parameters.require(String($0)) }
            let body = view.takesBody ? try await bytes(of: request) : Data()
            return jsonResponse(try await view.json(simulator, parameter ?? "", body))
        }
    }

    private func addTokens(to router: Router<Context>) {
        router.put("answers/tokens/:token") { [simulator] request, context in
            let token = try Self.token(context)
            let choice = try ControlInput.read(
                ControlMessage.Choice<Service.Answer>.self, from: try await bytes(of: request))
            simulator.setAnswer(choice.answer, forToken: token, after: choice.after)
            return HTTPResponse.Status.noContent
        }
        router.delete("answers/tokens/:token") { [simulator] _, context in
            simulator.setAnswer(nil, forToken: try Self.token(context))
            return HTTPResponse.Status.noContent
        }
    }

    /// Returns the token or token prefix in a request's path.
    private static func token(_ context: Context) throws -> String {
        let written = try context.parameters.require("token")
        guard let token = written.removingPercentEncoding else {
            throw SimulatorError("token: '\(written)' is not percent-encoded")
        }
        try Service.check(token)
        return token
    }

    private func addScript(to router: Router<Context>) {
        router.post("faults/script") { [simulator] request, _ in
            let script = try SimulatedService<Service>.FaultScript(json: try await bytes(of: request), source: "script")
            Task {
                do {
                    try await script.run(on: simulator)
                } catch {
                    simulator.logger.error("the script ended early", metadata: ["error": "\(error)"])
                }
            }
            return HTTPResponse.Status.accepted
        }
    }

    private func addRecords(to router: Router<Context>) {
        router.get("requests") { [simulator] request, _ in
            var recorded = ControlMessage.Recorded(
                arrivals: simulator.recordedArrivals, accepted: simulator.recordedAcceptances,
                requests: simulator.recordedRequests)
            if let token = request.uri.queryParameters["token"].map({ Service.canonical(String($0)) }) {
                recorded.arrivals = recorded.arrivals.filter { $0.key.hasPrefix(token) }
                recorded.accepted = recorded.accepted.filter { $0.key.hasPrefix(token) }
                recorded.requests = recorded.requests.filter { $0.token.hasPrefix(token) }
            }
            return jsonResponse(try ControlInput.json(recorded))
        }
        router.get("ca.pem") { [simulator] _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: try simulator.caCertificatePEM)))
        }
    }

    private func bytes(of request: Request) async throws -> Data {
        Data(try await request.body.collect(upTo: ControlGate.longestBody).readableBytesView)
    }
}

func jsonResponse(_ json: Data) -> Response {
    Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
}
