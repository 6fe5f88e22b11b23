import HTTP2Session

/// The rules that both kinds of session must obey, regardless of the peer's data.
final class SessionRules {
    private(set) var broken: String?
    private var failure: HTTP2Error?
    private var received = 0
    private var collected = 0
    private var sum: UInt8 = 0

    func `break`(_ rule: String) {
        broken = broken ?? rule
    }

    /// Reads both ends of borrowed memory, so that the address sanitizer checks it.
    func touch(_ bytes: UnsafeRawBufferPointer) {
        sum &+= (bytes.first ?? 0) &+ (bytes.last ?? 0)
    }

    func receive(_ bytes: [UInt8], _ pieceSize: Int, by session: some HTTP2Endpoint) {
        received += bytes.count
        // The bytes are passed in a few hundred pieces at most. A flood of single bytes would be slow and test nothing
        // new.
        let pieceSize = max(pieceSize, bytes.count / 256)
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(pieceSize))
                rest = rest.dropFirst(pieceSize)
                do throws(HTTP2Error) {
                    try session.receive(piece)
                    if failure != nil { self.break("an ended session takes input") }
                } catch {
                    note(error)
                }
            }
        }
    }

    func collect(from session: some HTTP2Endpoint) {
        do throws(HTTP2Error) {
            try session.collectOutput(limit: .max) {
                touch($0)
                collected += $0.count
            }
        } catch {
            note(error)
        }
    }

    func checkEnd(of session: some HTTP2Endpoint) {
        if failure != nil, session.wantsRead { self.break("an ended session wants to read") }
        // A peer must not be able to make a session send much more than the session has received.
        if collected > 64 * received + 8_000_000 { self.break("\(collected) bytes of output for \(received)") }
    }

    private func note(_ error: HTTP2Error) {
        if error.message.isEmpty { self.break("an error without a text") }
        if error.kind == .misuse { self.break("misuse: \(error)") }
        if let failure, failure != error { self.break("ended twice: \(failure), \(error)") }
        failure = error
    }
}
