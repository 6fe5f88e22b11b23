import Foundation
import Glibc
import Observability
import Testing

/// A line writer on a pipe whose reader may stall.
@Suite struct LineWriterTests {
    private let reader, end: Int32
    private let writer: LineWriter

    init() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let (reader, end) = (ends[0], ends[1])
        (self.reader, self.end) = (reader, end)
        writer = LineWriter(file: end) { Array("\($0) dropped\n".utf8) }
    }

    private func read(until isEnough: (String) -> Bool) -> String {
        var text = ""
        var piece = [UInt8](repeating: 0, count: 65_536)
        var asked = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while !isEnough(text), poll(&asked, 1, 30_000) == 1 {
            let count = Glibc.read(reader, &piece, piece.count)
            guard count > 0 else { break }
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
        return text
    }

    private func reported(in text: String) -> Int {
        text.suffix(100).split(separator: "\n").filter { $0.hasSuffix(" dropped") }
            .compactMap { Int($0.prefix { $0.isNumber }) }.reduce(0, +)
    }

    @Test func writesLineImmediately() {
        writer.write(Array("one\n".utf8))
        var asked = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(poll(&asked, 1, 0) == 1)
        #expect(read { $0.hasSuffix("\n") } == "one\n")
    }

    /// Two MiB are written to a pipe that holds 64 KiB. The caller never waits, the lines that are kept arrive in
    /// order, and the number of dropped lines is reported.
    @Test func dropsAndCountsLinesIfReaderStalls() {
        let width = 1_000
        let lines = (0..<2_000).map { "\($0) ".padding(toLength: width, withPad: "x", startingAt: 0) + "\n" }
        for line in lines { writer.write(Array(line.utf8)) }
        let dropped = writer.dropped
        #expect(dropped > 800 && dropped < 1_000)
        // The number is reported once, or twice if the writing thread started after the first lines were dropped.
        let text = read { reported(in: $0) == dropped }
        let kept = lines.prefix(lines.count - dropped).joined()
        #expect(text.hasPrefix(kept) && reported(in: text) == dropped, "\(text.dropFirst(kept.count).prefix(200))")
        #expect(text.dropFirst(kept.count).split(separator: "\n").allSatisfy { $0.hasSuffix(" dropped") })
        writer.write(Array("after\n".utf8))
        #expect(read { $0.hasSuffix("\n") } == "after\n")
        #expect(writer.dropped == dropped)
    }

    @Test func writesLineLongerThanPipe() {
        let line = String(repeating: "y", count: 300_000) + "\n"
        writer.write(Array(line.utf8))
        #expect(read { $0.hasSuffix("\n") } == line)
        writer.finish()
    }

    /// A stalled reader must not prevent the end of the process.
    @Test func finishesWhileReaderStalls() {
        for _ in 0..<200 { writer.write([UInt8](repeating: 0x7A, count: 1_000)) }
        writer.finish()
        #expect(read { $0.utf8.count == 200_000 }.utf8.count == 200_000)
    }

    /// Every write to /dev/full fails, as on a full disk. Because /dev/full is a character device, the writer's own
    /// thread writes to it, as to a terminal. The caller's thread writes to regular files. Writing to the second file
    /// fails because it is open only for reading.
    @Test(arguments: [("/dev/full", O_WRONLY), (#filePath, O_RDONLY)])
    func countsAndReportsLinesThatFileRefused(path: String, mode: Int32) {
        let file = open(path, mode)
        defer { close(file) }
        let refused = LineWriter(file: file) { Array("\($0) dropped\n".utf8) }
        for count in 1...3 {
            refused.write(Array("\(count)\n".utf8))
            refused.finish()
            #expect(refused.dropped == count)
        }
        #expect(dup2(end, file) == file)
        refused.write(Array("after\n".utf8))
        #expect(read { $0.contains("dropped\n") } == "after\n3 dropped\n")
        #expect(refused.dropped == 3)
    }

    /// The reader closes the pipe after part of a line. The next line must not continue that part.
    @Test func endsTornLineBeforeNextLine() {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let file = ends[1]
        defer { close(file) }
        let torn = LineWriter(file: file) { Array("\($0) dropped\n".utf8) }
        torn.write(Array((String(repeating: "y", count: 300_000) + "\n").utf8))
        var asked = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&asked, 1, 30_000) == 1)
        close(ends[0])
        for _ in 0..<60 where torn.dropped == 0 { torn.finish() }
        #expect(torn.dropped == 1)
        #expect(dup2(end, file) == file)
        torn.write(Array("after\n".utf8))
        #expect(read { $0.contains("dropped\n") } == "\nafter\n1 dropped\n")
    }
}
