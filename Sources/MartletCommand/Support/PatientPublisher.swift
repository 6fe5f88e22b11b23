import AMQPClient
import ArgumentParser
import Logging
import MartletService
import PushModel
import Threading

/// How long a command waits for the broker.
struct PatienceOption: ParsableArguments {
    @Option(help: "Give up when the broker has confirmed nothing for so many seconds, as with a memory or disk alarm.")
    var timeout: Int = 30

    func validate() throws {
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout: must be 1 to 86400") }
    }
}

/// Publishes for a command, one message after the other, and does not wait for ever: a broker with an alarm takes nothing
/// from who publishes, and says nothing else.
final class PatientPublisher: Sendable {
    private let publisher: AMQPPublisher
    private let seconds: Int
    /// Why there may be no confirm.
    private let trouble = Mutex<String?>(nil)

    /// - Throws: when the broker can't be reached.
    init(_ broker: AMQPConfiguration, _ patience: PatienceOption, logger: Logger) async throws {
        publisher = try AMQPPublisher(configuration: broker, logger: logger)
        seconds = patience.timeout
        try await publisher.connectOnce { [weak self] in self?.note($0) }
    }

    private func note(_ event: AMQPPublisherEvent) {
        switch event {
        case .blocked(let reason): trouble.withLock { $0 = PublicationUnconfirmed.alarm(reason) }
        case .disconnected(let error): trouble.withLock { $0 = "\(error)" }
        case .connected, .unblocked: trouble.withLock { $0 = nil }
        case .spread, .confirmed, .refused, .returned, .mayBeTaken, .unroutable, .closed: break
        }
    }

    /// - Throws: ``PublicationUnconfirmed`` when the time is over, after which nothing more can be published; ``AMQPError``
    ///   when the broker refuses it.
    func publish(_ publication: AMQPPublication) async throws {
        let end = Task<PublicationUnconfirmed?, Never> {
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return nil }
            let reason = trouble.withLock { $0 }
            await publisher.close(drain: .zero)
            return PublicationUnconfirmed(
                job: publication.properties.messageID, seconds: seconds, reason: reason)
        }
        defer { end.cancel() }
        do {
            try await publisher.publishAndWait([publication])
        } catch {
            end.cancel()
            throw await end.value ?? error
        }
    }

    func close() async { await publisher.close() }
}

/// Nobody knows whether it is published, or will be.
struct PublicationUnconfirmed: Error, Hashable, CustomStringConvertible {
    /// Its id, under which it can be published again; nil: it has none.
    let job: String?
    let seconds: Int
    /// nil: the broker said nothing.
    let reason: String?

    static func alarm(_ reason: String) -> String {
        "it blocks publishers (\(reason)): look for an alarm with 'rabbitmq-diagnostics alarms'"
    }

    var description: String {
        "the broker has not confirmed \(job.map { "job \($0)".printable } ?? "it") within \(seconds) s"
            + (reason.map { "; \($0)" } ?? "")
            + ". It may still publish it: what was written to it can't be taken back"
    }
}
