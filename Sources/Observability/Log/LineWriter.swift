import Dispatch
import Glibc
import Foundations

/// A writer that appends log lines to a file and never makes its caller wait for the reader.
///
/// A line is written immediately if the file surely accepts all of it without blocking and no earlier line waits.
/// Otherwise a thread writes it. At most 1 MiB of lines waits. Further lines are dropped and counted. The same applies
/// to lines that the file refuses because the disk is full or the reader has gone. The next line that can be written
/// is followed by a note with the number of dropped lines.
package final class LineWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// The number of bytes in waiting lines and in lines that the thread is writing.
        var held = 0
        var isWriting = false
        /// The number of lines dropped since the last note about dropped lines.
        var unreported = 0
        /// The number of lines dropped since the start.
        var dropped = 0
        /// Whether the file ends with an incomplete line.
        var isTorn = false

        mutating func drop(_ lines: Int) {
            unreported += lines
            dropped += lines
        }
    }

    private struct Batch {
        var lines: [UInt8]
        /// The number of dropped lines that the note at the end of `lines` reports, or 0 if there is no note.
        var reported = 0
        /// Whether the first byte of `lines` is a line end that completes a torn line in the file.
        var completesTornLine = false
    }

    private static let lineEnd = UInt8(ascii: "\n")
    private static let most = 1_048_576
    /// The number of bytes that a writable pipe accepts without blocking.
    private static let atOnce = Int(PIPE_BUF)

    private let file: Int32
    /// Whether `poll` reports correctly that a write does not block. The value is `false` for a terminal.
    private let reportsItsRoom: Bool
    private let note: @Sendable (Int) -> [UInt8]
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "martlet.log")
    private let writing = DispatchGroup()

    /// Creates a writer.
    ///
    /// - Parameter note: returns the line that reports a number of dropped lines.
    package init(file: Int32, note: @escaping @Sendable (Int) -> [UInt8]) {
        (self.file, self.note) = (file, note)
        var status = stat()
        let kind = fstat(file, &status) == 0 ? status.st_mode & S_IFMT : 0
        reportsItsRoom = [S_IFIFO, S_IFSOCK, S_IFREG].contains(kind)
    }

    /// The number of lines dropped since the start.
    package var dropped: Int { state.withLock { $0.dropped } }

    package func write(_ line: [UInt8]) {
        state.withLock { state in
            if !state.isWriting, state.unreported == 0, line.count <= Self.atOnce, isReady() {
                let rest = Self.write(line, to: file)
                if !rest.isEmpty {
                    state.drop(1)
                    state.isTorn = rest.count < line.count
                }
                return
            }
            guard state.held + line.count <= Self.most else { return state.drop(1) }
            state.waiting += line
            state.held += line.count
            guard !state.isWriting else { return }
            state.isWriting = true
            writing.enter()
            queue.async { [self] in writeWhatWaits() }
        }
    }

    /// Waits up to one second for the waiting lines to be written. Must be called before the process ends.
    package func finish() { _ = writing.wait(timeout: .now() + .seconds(1)) }

    private func writeWhatWaits() {
        var fileTakesLines = true
        while let batch = next(orNoteAlone: fileTakesLines) {
            let rest = Self.write(batch.lines, to: file)
            fileTakesLines = rest.isEmpty
            let written = batch.lines.dropLast(rest.count)
            state.withLock { state in
                guard !rest.isEmpty else { return state.isTorn = false }
                if let last = written.last { state.isTorn = last != Self.lineEnd }
                state.unreported += batch.reported
                // The note and the end of a torn line are not logged lines, so they do not count as dropped.
                state.drop(
                    rest.count { $0 == Self.lineEnd } - (batch.reported > 0 ? 1 : 0)
                        - (batch.completesTornLine && written.isEmpty ? 1 : 0))
            }
        }
        writing.leave()
    }

    /// Removes and returns the waiting lines, followed by a note if lines were dropped. Returns `nil` if there is
    /// nothing to write.
    ///
    /// - Parameter noteAlone: whether to return a note if no line waits. Must be `false` after the file refused lines,
    ///   because the thread would otherwise retry the note in an endless loop.
    private func next(orNoteAlone noteAlone: Bool) -> Batch? {
        state.withLock { state in
            var batch = Batch(lines: state.waiting)
            state.waiting = []
            if state.unreported > 0, noteAlone || !batch.lines.isEmpty {
                batch.lines += note(state.unreported)
                (batch.reported, state.unreported) = (state.unreported, 0)
            }
            if state.isTorn, !batch.lines.isEmpty {
                batch.lines.insert(Self.lineEnd, at: 0)
                batch.completesTornLine = true
            }
            state.held = batch.lines.count
            state.isWriting = !batch.lines.isEmpty
            return state.isWriting ? batch : nil
        }
    }

    private func isReady() -> Bool {
        var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return reportsItsRoom && poll(&asked, 1, 0) == 1
    }

    /// Writes bytes to a file, and returns the bytes that the file did not accept.
    private static func write(_ bytes: [UInt8], to file: Int32) -> ArraySlice<UInt8> {
        let written = bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if !canGoOn(file) { break }
            }
            return all.count - rest.count
        }
        return bytes.dropFirst(written)
    }

    private static func canGoOn(_ file: Int32) -> Bool {
        switch errno {
        case EINTR: return true
        case EAGAIN:
            var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
            return poll(&asked, 1, -1) == 1
        default: return false
        }
    }
}
