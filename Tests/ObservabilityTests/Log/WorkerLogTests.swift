import Foundations
import Foundation
import Logging
import MartletConfiguration
import Observability
import Testing

@Suite struct WorkerLogTests {
    private final class Sink: LogSink {
        let lines = Mutex<[LogLine]>([])

        func take(_ line: LogLine) { lines.withLock { $0.append(line) } }

        var messages: [String] { lines.withLock { $0.map(\.message) } }
    }

    private let sink = Sink()
    private let other = Sink()
    private let log: WorkerLog

    init() { log = WorkerLog(level: .info, sinks: [sink, other]) }

    @Test func sendsLinesOfLevelToEverySink() {
        var logger = log.logger("test")
        logger[metadataKey: "worker"] = "w"
        logger.debug("unheard")
        logger.warning(EventName("horn.blown"), "heard", metadata: ["app": "shop"])
        log.change(level: .error, format: .json)
        logger.warning("unheard")
        #expect(sink.messages == ["heard"] && other.messages == ["heard"])
        let line = sink.lines.withLock { $0.first }
        #expect(line?.event?.name == "horn.blown" && line?.metadata == ["worker": "w", "app": "shop"])
    }

    @Test func holdsRepeatedLinesUntilFlush() {
        let logger = log.logger("test")
        for _ in 0..<5 { logger.warning(EventName("job.rejected", repeats: true), "no", metadata: ["app": "shop"]) }
        for _ in 0..<3 { logger.notice(EventName("credential.refused"), "state") }
        #expect(sink.messages == ["no", "state", "state", "state"])
        log.flush()
        log.flush()
        #expect(sink.messages.last == "no … 4 more like this" && sink.messages.count == 5)
    }

    @Test func keepsOwnLevelOfLogger() {
        var quiet = log.logger("test")
        quiet.logLevel = .error
        quiet.warning("unheard")
        log.logger("test").warning("heard")
        #expect(sink.messages == ["heard"])
    }

    /// Child processes inherit `JOURNAL_STREAM` but may write elsewhere, see systemd.exec(5).
    @Test func detectsJournalByDeviceAndInode() throws {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        let own = "\(status.st_dev):\(status.st_ino)"
        #expect(StandardError.isJournal(own, file: STDERR_FILENO))
        for stream in ["\(status.st_dev):\(status.st_ino + 1)", "1", "", ":", "a:b", "\(own):1"] {
            #expect(!StandardError.isJournal(stream, file: STDERR_FILENO))
        }
        #expect(!StandardError.isJournal(nil, file: STDERR_FILENO) && !StandardError.isJournal(own, file: -1))
    }
}
