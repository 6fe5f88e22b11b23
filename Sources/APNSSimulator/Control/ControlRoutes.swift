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
        router.add(middleware: ControlGate(simulator: simulator))
        addAnswers(to: router)
        addFaults(to: router)
        addObservation(to: router)
        return router
    }

    private func addAnswers(to router: Router<Context>) {
        router.put("answers/tokens/:token") { [simulator] request, context in
            let token = try Self.token(context)
            let answer = try await body(of: request, as: ControlMessage.Answer.self)
            simulator.setAnswer(answer.planned, forToken: token, after: answer.after)
            return HTTPResponse.Status.noContent
        }
        router.delete("answers/tokens/:token") { [simulator] _, context in
            simulator.setAnswer(nil, forToken: try Self.token(context))
            return HTTPResponse.Status.noContent
        }
        router.post("answers/next") { [simulator] request, context in
            let next = try await body(of: request, as: ControlMessage.NextAnswers.self)
            simulator.answerNext(next.count, with: next.answer)
            return HTTPResponse.Status.noContent
        }
        router.post("keys") { [simulator] request, context in
            simulator.register(try await body(of: request, as: ControlMessage.Key.self).key)
            return HTTPResponse.Status.noContent
        }
        router.post("keys/refuse") { [simulator] request, context in
            let wanted = try await body(of: request, as: ControlMessage.RefusedKey.self)
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
            await simulator.sendGoAway(try await body(of: request, as: ControlMessage.GoAway.self).fault)
            return HTTPResponse.Status.noContent
        }
        router.post("faults/streams") { [simulator] request, context in
            let wanted = try await body(of: request, as: ControlMessage.StreamLimit.self)
            await simulator.changeStreamLimit(to: wanted.limit)
            return HTTPResponse.Status.noContent
        }
        router.post("faults/refuse") { [simulator] request, context in
            simulator.refuseStreams(try await body(of: request, as: ControlMessage.StreamRefusal.self).count)
            return HTTPResponse.Status.noContent
        }
        router.put("faults/standing") { [simulator] request, context in
            await simulator.setFaults(try await body(of: request, as: ControlMessage.Standing.self).faults)
            return HTTPResponse.Status.noContent
        }
        router.delete("faults/standing") { [simulator] _, _ in
            await simulator.setFaults(StandingFaults())
            return HTTPResponse.Status.noContent
        }
        router.post("faults/script") { [simulator] request, _ in
            let script = try FaultScript(json: try await bytes(of: request), source: "script")
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
            simulator.isRecording = try await body(of: request, as: ControlMessage.Recording.self).on
            return HTTPResponse.Status.noContent
        }
        router.get("requests") { [simulator] request, _ in
            var recorded = ControlMessage.Recorded(
                arrivals: simulator.recordedArrivals, accepted: simulator.recordedAcceptances,
                requests: simulator.recordedRequests)
            if let token = request.uri.queryParameters["token"].map({ String($0).lowercased() }) {
                recorded.arrivals = recorded.arrivals.filter { $0.key.hasPrefix(token) }
                recorded.accepted = recorded.accepted.filter { $0.key.hasPrefix(token) }
                recorded.requests = recorded.requests.filter { $0.token.hasPrefix(token) }
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

/// Bodies.
extension ControlRoutes {
    static let longestBody = 1 << 20

    private func bytes(of request: Request) async throws -> Data {
        Data(try await request.body.collect(upTo: Self.longestBody).readableBytesView)
    }

    private func body<Body: ControlBody>(of request: Request, as type: Body.Type) async throws -> Body {
        try ControlInput.read(Strict<Body>.self, from: try await bytes(of: request)).body
    }

    /// What device tokens begin with.
    private static func token(_ context: Context) throws -> String {
        let token = try context.parameters.require("token")
        guard token.utf8.allSatisfy({ hexValue($0) != 0xff }) else {
            throw SimulatorError("token: '\(token)' is not made of hex digits")
        }
        return token
    }
}

/// Keys in a fixed order, so that people and scripts see the same.
func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
}
