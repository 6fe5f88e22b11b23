/// The commands and views of the control endpoint that all simulators have.
extension SimulatedService {
    static var allCommands: [ControlCommand<Service>] { commonCommands + Service.commands }

    private static var commonCommands: [ControlCommand<Service>] {
        typealias Command = ControlCommand<Service>
        return [
            Command(.post, "faults/goaway", step: "goaway", ControlMessage.GoAway.self) {
                await $0.sendGoAway($1.fault)
            },
            Command(.post, "faults/streams", step: "streams", ControlMessage.StreamLimit.self) {
                await $0.changeStreamLimit(to: $1.limit)
            },
            Command(.post, "faults/refuse", step: "refuse", ControlMessage.StreamRefusal.self) {
                $0.refuseStreams($1.count)
            },
            Command(.put, "faults/standing", step: "standing", ControlMessage.Standing<Service>.self) {
                await $0.setFaults($1.faults)
            },
            Command(.delete, "faults/standing") { await $0.setFaults(StandingFaults()) },
            Command(.post, "faults/cut", step: "cut") { await $0.cutConnections() },
            Command(step: "down_ms", in: ControlMessage.times) { try await $0.goDown(for: .milliseconds($1)) },
            Command(.post, "answers/next", step: "next", ControlMessage.NextAnswers<Service.Answer>.self) {
                $0.answerNext($1.count, with: $1.answer)
            },
            Command(.put, "recording", ControlMessage.Recording.self) { $0.isRecording = $1.on },
            Command(.post, "reset") { await $0.reset() },
        ]
    }

    static var allViews: [ControlView<Service>] {
        [ControlView("counters") { simulator, _ in await simulator.counters() }] + Service.views
    }
}
