import AMQPClient
import ArgumentParser
import Logging
import MartletConfiguration
import PushModel
import Foundations

/// The option for the time that a command waits for a confirm of the broker, in seconds.
struct ConfirmTimeoutOption: ParsableArguments {
    @Option(
        help: "Fail if the broker confirms nothing for this many seconds, for example during a memory or disk alarm.")
    var timeout: Int = 30

    func validate() throws {
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout: must be 1 to 86400") }
    }
}

/// A publisher for commands that sends one message at a time with a time limit. The limit is needed because a broker
/// with an alarm neither confirms nor rejects messages.
final class ConfirmingPublisher: Sendable {
    private let publisher: AMQPPublisher
    private let seconds: Int
    /// The probable reason for a missing confirm, or `nil` if the broker reported nothing.
    private let trouble = Mutex<String?>(nil)

    /// Connects to the broker.
    /// - Throws: an error if the broker can't be reached.
    init(_ broker: AMQPConfiguration, _ patience: ConfirmTimeoutOption, logger: Logger) async throws {
        publisher = try AMQPPublisher(configuration: broker, logger: logger)
        seconds = patience.timeout
        try await publisher.connectOnce { [weak self] in self?.note($0) }
    }

    private func note(_ event: AMQPPublisherEvent) {
        switch event {
        case .blocked(let reason): trouble.withLock { $0 = PublicationUnconfirmed.alarm(reason) }
        case .disconnected(let error): trouble.withLock { $0 = "\(error)" }
        case .connected, .unblocked: trouble.withLock { $0 = nil }
        case .confirmed, .refused, .returned, .mayBeTaken, .unroutable, .closed: break
        }
    }

    /// Publishes a message and waits for its confirm.
    ///
    /// - Throws: ``PublicationUnconfirmed`` if the time limit is reached, after which nothing more can be published;
    ///   `AMQPError` if the broker rejects the message.
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

/// The error for a message that was not confirmed in time. The broker may have accepted the message, or may still do
/// so.
struct PublicationUnconfirmed: Error, Hashable, CustomStringConvertible {
    /// The id with which the job can be published again, or `nil` if the job has none.
    let job: String?
    let seconds: Int
    /// The probable reason for the missing confirm, or `nil` if the broker reported nothing.
    let reason: String?

    static func alarm(_ reason: String) -> String {
        "it blocks publishers (\(reason)): look for an alarm with 'rabbitmq-diagnostics alarms'"
    }

    var description: String {
        "the broker has not confirmed \(job.map { "job \($0)".printable } ?? "it") within \(seconds) s"
            + (reason.map { "; \($0)" } ?? "")
            + ". The job may still be published later, because it was already written to the connection"
    }
}
