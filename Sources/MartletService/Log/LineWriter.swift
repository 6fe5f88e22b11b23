import Dispatch
import Glibc
import Threading

/// Writes lines to a file, so that who logs never waits for who reads: a line is written at once where there is room for it
/// and none before it waits; else a thread writes it; beyond a mebibyte that waits, lines are dropped, counted and told.
package final class LineWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Bytes that wait, or that the thread has not written whole.
        var held = 0
        var isWriting = false
        /// Since that was last told, and in all.
        var dropped = 0
        var droppedInAll = 0
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

    /// Lines that nobody will read.
    package var dropped: Int { state.withLock { $0.droppedInAll } }

    package func write(_ line: [UInt8]) {
        state.withLock { state in
            if !state.isWriting, line.count <= Self.atOnce, isReady() { return Self.write(line, to: file) }
            guard state.held + line.count <= Self.most else {
                state.dropped += 1
                state.droppedInAll += 1
                return
            }
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
        while let lines = next() { Self.write(lines, to: file) }
        writing.leave()
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            var lines = state.waiting
            state.waiting = []
            if state.dropped > 0 { lines += note(state.dropped) }
            state.dropped = 0
            state.held = lines.count
            state.isWriting = !lines.isEmpty
            return lines.isEmpty ? nil : lines
        }
    }

    private func isReady() -> Bool {
        var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return tellsItsRoom && poll(&asked, 1, 0) == 1
    }

    /// The file may be closed, or nobody reads it any more, which is no reason to end.
    private static func write(_ bytes: [UInt8], to file: Int32) {
        bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if !canGoOn(file) { return }
            }
        }
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
