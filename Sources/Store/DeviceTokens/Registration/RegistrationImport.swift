import PostgresClient
import PushModel

/// Registers a list of tokens of any length, some thousands at a time: the next are read while those before are
/// written. Doing it again, wholly or from a line on, changes nothing.
package struct RegistrationImport: Sendable {
    package struct Count: Sendable, Hashable {
        /// Lines read, and lines whose registrations are committed.
        package var linesRead = 0
        package var linesDone = 0
        /// Tokens that were named, and those of which something new became known.
        package var tokens = 0
        package var changed = 0
        package var badLines = 0
    }

    /// Why it ended before its end.
    package struct Stopped: Error {
        package let count: Count
        /// nil: for a bad line.
        package let cause: (any Error)?
    }

    private static let batchSize = 5_000
    private static let longestRetry = Duration.seconds(60)

    private let registry: DeviceTokenRegistry
    private let rules: RegistrationRules
    private let firstLine: Int
    private let stopsAtBadLine: Bool

    /// - Parameters:
    ///   - firstLine: those before are passed over, but for column names.
    ///   - stopsAtBadLine: else they are told of and passed over.
    package init(
        _ registry: DeviceTokenRegistry, rules: RegistrationRules, firstLine: Int = 1, stopsAtBadLine: Bool = false
    ) {
        self.registry = registry
        self.rules = rules
        self.firstLine = firstLine
        self.stopsAtBadLine = stopsAtBadLine
    }

    /// - Parameters:
    ///   - chunk: the next bytes; empty at the end.
    ///   - bad: told of each bad line, by its number from 1.
    ///   - progress: called after each commit.
    /// - Throws: ``Stopped``.
    package func run(
        _ chunk: () throws -> [UInt8], bad: (Int, BadRegistration) -> Void, progress: (Count) -> Void
    ) async throws(Stopped) -> Count {
        var count = Count()
        var lines = LineSplitter()
        var reader = RegistrationReader(rules: rules)
        var batch: [TokenRegistration] = []
        var writing: (task: Task<Int, any Error>, lines: Int)?
        var isStopped = false

        func take(_ line: UnsafeBufferPointer<UInt8>?) {
            guard !isStopped else { return }
            count.linesRead += 1
            do throws(BadRegistration) {
                guard let line else {
                    throw BadRegistration(description: "is longer than \(LineSplitter.longestLine) bytes")
                }
                // Lines before the first are read all the same: one of them may hold the column names.
                let registration: TokenRegistration?
                do throws(BadRegistration) {
                    registration = try reader.read(line)
                } catch {
                    guard count.linesRead >= firstLine else { return }
                    throw error
                }
                guard let registration, count.linesRead >= firstLine else { return }
                batch.append(registration)
            } catch {
                count.badLines += 1
                bad(count.linesRead, error)
                isStopped = stopsAtBadLine
            }
        }
        func settle() async throws {
            guard let (task, lines) = writing else { return }
            writing = nil
            count.changed += try await task.value
            count.linesDone = lines
            progress(count)
        }
        func write() async throws {
            try await settle()
            let registrations = batch
            batch.removeAll(keepingCapacity: true)
            count.tokens += registrations.count
            // The line at which it stops is to be mended, so it is not done.
            writing = (Task { try await self.write(registrations) }, count.linesRead - (isStopped ? 1 : 0))
        }

        do {
            while !isStopped {
                let bytes = try chunk()
                if bytes.isEmpty {
                    lines.end(take)
                    break
                }
                lines.feed(bytes, take)
                if batch.count >= Self.batchSize { try await write() }
            }
            try await write()
            try await settle()
        } catch {
            writing?.task.cancel()
            throw Stopped(count: count, cause: error)
        }
        if isStopped { throw Stopped(count: count, cause: nil) }
        return count
    }

    /// A database that restarts is waited for.
    private func write(_ registrations: [TokenRegistration]) async throws -> Int {
        let deadline = ContinuousClock.now + Self.longestRetry
        var wait = Duration.milliseconds(200)
        while true {
            do {
                return try await registry.register(registrations)
            } catch let error as PostgresError where error.isRetriable && ContinuousClock.now + wait < deadline {
                try await Task.sleep(for: wait)
                wait = min(wait * 2, .seconds(5))
            }
        }
    }
}
