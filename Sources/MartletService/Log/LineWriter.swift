import Dispatch
import Glibc
import Threading

/// Writes log lines to a file, and never makes its caller wait for the reader.
///
/// A line is written at once if the file takes it and no earlier line waits; otherwise a thread writes it. At most a mebibyte
/// waits. Lines beyond that, and lines that the file refuses (a full disk, a reader that is gone), are dropped and counted. The next
/// line that can be written is followed by one that tells how many were dropped.
package final class LineWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Bytes that wait, or that the thread has not written whole.
        var held = 0
        var isWriting = false
        /// Lines dropped since the last note of dropped lines.
        var untold = 0
        /// Lines dropped since the start.
        var dropped = 0

        mutating func drop(_ lines: Int) {
            untold += lines
            dropped += lines
        }
    }

    private struct Batch {
        var lines: [UInt8]
        /// What the note at the end of `lines` tells; 0: there is no note.
        var told: Int
    }

    private static let most = 1_048_576
    /// What a pipe that is writable takes without waiting.
    private static let atOnce = Int(PIPE_BUF)

    private let file: Int32
    /// A terminal says that it takes more than it does.
    private let tellsItsRoom: Bool
    private let note: @Sendable (Int) -> [UInt8]
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "martlet.log")
    private let writing = DispatchGroup()

    /// - Parameter note: the line that says that so many were dropped.
    package init(file: Int32, note: @escaping @Sendable (Int) -> [UInt8]) {
        (self.file, self.note) = (file, note)
        var status = stat()
        let kind = fstat(file, &status) == 0 ? status.st_mode & S_IFMT : 0
        tellsItsRoom = [S_IFIFO, S_IFSOCK, S_IFREG].contains(kind)
    }

    /// Lines that were dropped since the start.
    package var dropped: Int { state.withLock { $0.dropped } }

    package func write(_ line: [UInt8]) {
        state.withLock { state in
            if !state.isWriting, state.untold == 0, line.count <= Self.atOnce, isReady() {
                if !Self.write(line, to: file).isEmpty { state.drop(1) }
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

    /// Gives the reader a second to take what waits, as at the end of the process.
    package func finish() { _ = writing.wait(timeout: .now() + .seconds(1)) }

    private func writeWhatWaits() {
        var fileTakesLines = true
        while let batch = next(orNoteAlone: fileTakesLines) {
            let unwritten = Self.write(batch.lines, to: file).count { $0 == UInt8(ascii: "\n") }
            fileTakesLines = unwritten == 0
            guard !fileTakesLines else { continue }
            state.withLock { state in
                state.untold += batch.told
                // The note is no line that somebody logged.
                state.drop(unwritten - (batch.told > 0 ? 1 : 0))
            }
        }
        writing.leave()
    }

    /// Takes what waits, with a note of what was dropped.
    /// - Parameter noteAlone: a note is written although no line waits. A file that just refused lines would be asked for ever.
    private func next(orNoteAlone noteAlone: Bool) -> Batch? {
        state.withLock { state in
            var batch = Batch(lines: state.waiting, told: 0)
            state.waiting = []
            if state.untold > 0, noteAlone || !batch.lines.isEmpty {
                batch.lines += note(state.untold)
                (batch.told, state.untold) = (state.untold, 0)
            }
            state.held = batch.lines.count
            state.isWriting = !batch.lines.isEmpty
            return state.isWriting ? batch : nil
        }
    }

    private func isReady() -> Bool {
        var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return tellsItsRoom && poll(&asked, 1, 0) == 1
    }

    /// Returns what the file did not take.
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
