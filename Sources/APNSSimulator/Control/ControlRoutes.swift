internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What the control endpoint can be asked for. A thin layer: each route calls one function of the simulator.
struct ControlRoutes {
    typealias Context = BasicRequestContext

    let simulator: APNSSimulator

    func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: ControlErrors())
        addAnswers(to: router)
        addFaults(to: router)
        addObservation(to: router)
        return router
    }

    private func addAnswers(to router: Router<Context>) {
        router.put("answers/tokens/:token") { [simulator] request, context in
            let token = try context.parameters.require("token")
            let answer = try await request.decode(as: ControlMessage.Answer.self, context: context)
            simulator.setAnswer(try answer.planned(), forToken: token, after: max(0, answer.after ?? 0))
            return HTTPResponse.Status.noContent
        }
        router.delete("answers/tokens/:token") { [simulator] _, context in
            simulator.setAnswer(nil, forToken: try context.parameters.require("token"))
            return HTTPResponse.Status.noContent
        }
        router.post("answers/next") { [simulator] request, context in
            let next = try await request.decode(as: ControlMessage.NextAnswers.self, context: context)
            simulator.answerNext(try next.checkedCount(), with: try next.answer.planned())
            return HTTPResponse.Status.noContent
        }
        router.post("keys") { [simulator] request, context in
            let key = try await request.decode(as: ControlMessage.Key.self, context: context)
            var registered = try TokenKey(team: key.team, keyID: key.keyID, pem: key.pem)
            registered.scope = try key.scope()
            simulator.register(registered)
            return HTTPResponse.Status.noContent
        }
        router.post("keys/refuse") { [simulator] request, context in
            let wanted = try await request.decode(as: ControlMessage.RefusedKey.self, context: context)
            simulator.refuse(keyID: wanted.keyID, wanted.refusal)
            return HTTPResponse.Status.noContent
        }
        router.post("reset") { [simulator] _, _ in
            await simulator.reset()
            return HTTPResponse.Status.noContent
        }
    }

    private func addFaults(to router: Router<Context>) {
        router.post("faults/goaway") { [simulator] request, context in
            let wanted = try await request.decode(as: ControlMessage.GoAway.self, context: context)
            await simulator.sendGoAway(wanted.fault)
            return HTTPResponse.Status.noContent
        }
        router.post("faults/streams") { [simulator] request, context in
            let wanted = try await request.decode(as: ControlMessage.StreamLimit.self, context: context)
            await simulator.changeStreamLimit(to: try wanted.checked())
            return HTTPResponse.Status.noContent
        }
        router.post("faults/refuse") { [simulator] request, context in
            let wanted = try await request.decode(as: ControlMessage.StreamRefusal.self, context: context)
            simulator.refuseStreams(try wanted.checked())
            return HTTPResponse.Status.noContent
        }
        router.put("faults/standing") { [simulator] request, context in
            await simulator.setFaults(
                try await request.decode(as: ControlMessage.Standing.self, context: context).faults)
            return HTTPResponse.Status.noContent
        }
        router.delete("faults/standing") { [simulator] _, _ in
            await simulator.setFaults(StandingFaults())
            return HTTPResponse.Status.noContent
        }
        router.post("faults/script") { [simulator] request, _ in
            let script = try FaultScript(
                json: Data(try await request.body.collect(upTo: 1 << 20).readableBytesView), source: "script")
            Task {
                do {
                    try await script.run(on: simulator)
                } catch {
                    simulator.logger.error("the script has ended early", metadata: ["error": "\(error)"])
                }
            }
            return HTTPResponse.Status.accepted
        }
        router.post("faults/cut") { [simulator] _, _ in
            await simulator.cutConnections()
            return HTTPResponse.Status.noContent
        }
    }

    private func addObservation(to router: Router<Context>) {
        router.get("counters") { [simulator] _, _ in
            try json(await simulator.counters())
        }
        router.get("channels/:app") { [simulator] _, context in
            try json(simulator.channels(of: try context.parameters.require("app")))
        }
        router.get("tokens") { [simulator] _, _ in
            try json(simulator.tokenUses)
        }
        router.put("recording") { [simulator] request, context in
            simulator.isRecording = try await request.decode(as: ControlMessage.Recording.self, context: context).on
            return HTTPResponse.Status.noContent
        }
        router.get("requests") { [simulator] request, _ in
            var recorded = ControlMessage.Recorded(
                arrivals: simulator.recordedArrivals, accepted: simulator.recordedAcceptances,
                requests: simulator.recordedRequests)
            if let token = request.uri.queryParameters["token"].map({ String($0).lowercased() }) {
                recorded.arrivals = recorded.arrivals.filter { $0.key == token }
                recorded.accepted = recorded.accepted.filter { $0.key == token }
                recorded.requests = recorded.requests.filter { $0.token == token }
            }
            return try json(recorded)
        }
        router.get("ca.pem") { [simulator] _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: try simulator.caCertificatePEM)))
        }
    }
}

/// Keys in a fixed order, so that people and scripts see the same.
private func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
}

/// Tells the caller what was wrong, as `{"error": …}` with status 400.
private struct ControlErrors: RouterMiddleware {
    typealias Context = ControlRoutes.Context

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as SimulatorError {
            var response = try json(["error": error.description])
            response.status = .badRequest
            return response
        }
    }
}
