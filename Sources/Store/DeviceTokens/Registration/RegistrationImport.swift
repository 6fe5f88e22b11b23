import PostgresClient
import PushModel

/// An import that registers a list of tokens of any length, in batches of about 5,000. The next batch is read while the
/// previous one is written. Importing a line again with the same registration time changes nothing.
package struct RegistrationImport: Sendable {
    package struct Count: Sendable, Hashable {
        /// The number of lines read.
        package var linesRead = 0
        /// The number of lines whose registrations are committed.
        package var linesDone = 0
        /// The number of registrations that are written or being written.
        package var tokens = 0
        /// The number of tokens whose records were changed.
        package var changed = 0
        package var badLines = 0
    }

    /// The error of an import that stopped before its end.
    package struct Stopped: Error {
        package let count: Count
        /// The error that stopped the import, or `nil` if a bad line stopped it.
        package let cause: (any Error)?
    }

    private static let batchSize = 5_000
    private static let longestRetry = Duration.seconds(60)

    private let registry: DeviceTokenRegistry
    private let rules: RegistrationRules
    private let firstLine: Int
    private let stopsAtBadLine: Bool

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - firstLine: the number of the first line to import. Earlier lines are only searched for column names.
    ///   - stopsAtBadLine: whether the import stops at an invalid line. Otherwise it reports the line and skips it.
    package init(
        _ registry: DeviceTokenRegistry, rules: RegistrationRules, firstLine: Int = 1, stopsAtBadLine: Bool = false
    ) {
        self.registry = registry
        self.rules = rules
        self.firstLine = firstLine
        self.stopsAtBadLine = stopsAtBadLine
    }

    /// Runs the import.
    ///
    /// - Parameters:
    ///   - chunk: returns the next bytes, or an empty array at the end.
    ///   - bad: receives the number of each invalid line, counted from 1, and its problem.
    ///   - progress: receives the counts after each commit.
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
                // Lines before `firstLine` are also read, because one of them may contain the column names.
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
            // The line at which the import stopped must be corrected, so it does not count as done.
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

    /// Writes registrations and returns the number of changed records. Retries for up to a minute, for example while
    /// the database restarts.
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
