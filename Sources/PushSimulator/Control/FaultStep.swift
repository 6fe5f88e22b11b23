/// A step of a fault script.
struct FaultStep<Service: PushDouble>: Decodable, Sendable {
    /// The time since the start of the script in milliseconds, or `nil` if the step waits for requests.
    let milliseconds: Int?
    /// The number of arrivals to wait for, or `nil` if the step has a time.
    let arrivals: Int?
    let act: ControlCommand<Service>.Act

    init(from decoder: any Decoder) throws {
        do {
            let commands = SimulatedService<Service>.allCommands.filter { $0.step != nil }
            let time = AnyKey("at_ms"), count = AnyKey("after_requests")
            try decoder.refuseOtherKeys(
                than: [time.stringValue, count.stringValue] + commands.compactMap { $0.step?.stringValue })
            let container = try decoder.container(keyedBy: AnyKey.self)
            milliseconds = try container.numberIfPresent(time, in: ControlMessage.times)
            arrivals = try container.numberIfPresent(count, in: ControlMessage.numbers)
            guard (milliseconds == nil) != (arrivals == nil) else {
                throw SimulatorError("must have either at_ms or after_requests")
            }
            let wanted = commands.filter { $0.step.map(container.contains) ?? false }
            guard wanted.count == 1, let command = wanted.first else {
                throw SimulatorError("must have exactly one command")
            }
            act = try command.read(from: container)
        } catch let error as SimulatorError {
            throw SimulatorError("step \((decoder.codingPath.last?.intValue ?? 0) + 1): \(error)")
        }
    }
}
