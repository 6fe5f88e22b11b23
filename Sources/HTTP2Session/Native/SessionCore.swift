internal import CNGHTTP2

/// The common part of client and server sessions. It owns the library's session and the stream records, and it detects
/// failures. Neither the library's session ("Programmers' Guide") nor this class is thread-safe.
///
/// ``SessionCallbacks`` calls the handling methods. ``ClientCore`` and ``ServerCore`` override the methods that they
/// need.
class SessionCore {
    let native: OpaquePointer
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) var streams = StreamSlab()
    @exclusivity(unchecked) var scratch = FieldScratch()
    private let headerListLimit: Int
    /// The number of bytes in submitted bodies that have not been put into a DATA frame yet.
    // Exclusivity checks are off, because they would slow down this hot path.
    @exclusivity(unchecked) var unsentBodyBytes = 0
    /// The reason why the session ended, or `nil` before its end. It is set once.
    private(set) var failure: HTTP2Error?
    private(set) var isProcessing = false

    @exclusivity(unchecked) private var headerListSize = 0
    /// The library's last message about the peer's input, or `nil` if it had none about the current frame. It becomes
    /// the detail of a failure.
    private(set) var diagnosis: String?
    private var submittedGoAwayCode: UInt32?
    @exclusivity(unchecked) private var currentFrame = nghttp2_frame_hd()
    @exclusivity(unchecked) private var framesWithoutUse = 0
    // The value is never 0, because 0 is the stream identifier of connection-level frames.
    @exclusivity(unchecked) private var lastFoundStream: Int32 = -1
    @exclusivity(unchecked) private var lastFoundIndex = 0

    /// Creates the library's session.
    ///
    /// - Parameters:
    ///   - configure: A function that sets the library's options.
    ///   - new: A function that creates the library's session from callbacks and options.
    init(
        _ settings: HTTP2Settings, configure: (_ options: OpaquePointer) -> Void,
        new: (_ native: inout OpaquePointer?, _ callbacks: OpaquePointer, _ options: OpaquePointer) -> Int32
    ) throws(HTTP2Error) {
        native = try NativeSetup.withCallbacks { callbacks throws(HTTP2Error) in
            SessionCallbacks.install(in: callbacks)
            return try NativeSetup.withOptions { options throws(HTTP2Error) in
                configure(options)
                var native: OpaquePointer?
                let result = new(&native, callbacks, options)
                guard result == 0, let native else {
                    throw HTTP2Error(native: Int(result), doing: "creating a session")
                }
                return native
            }
        }
        headerListLimit = settings.maxHeaderListSize.map(Int.init) ?? HTTP2Settings.defaultHeaderListLimit
        nghttp2_session_set_user_data(native, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        nghttp2_session_del(native)
    }

    // MARK: Bytes

    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        if let failure {
            throw failure
        }
        guard !isProcessing else {
            throw HTTP2Error(.misuse, "receive was called by a delegate")
        }
        isProcessing = true
        defer { isProcessing = false }
        let taken = nghttp2_session_mem_recv(
            native, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        if taken < 0 {
            throw fail(HTTP2Error(native: taken, doing: "reading the peer's frames", detail: diagnosis))
        }
    }

    func collectOutput(limit: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(HTTP2Error) {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        var collected = 0
        while collected < limit {
            var piece: UnsafePointer<UInt8>?
            let length = nghttp2_session_mem_send(native, &piece)
            if length < 0 {
                throw fail(HTTP2Error(native: length, doing: "writing frames", detail: diagnosis))
            }
            if length == 0 {
                unsentRefusals = 0
                if let failure {
                    throw failure
                }
                return
            }
            body(UnsafeRawBufferPointer(start: piece, count: length))
            collected += length
        }
    }

    // MARK: Streams

    /// Returns the index of the stream's record, or `nil` if it has none.
    func record(of stream: Int32) -> Int? {
        // The last result is cached, because successive callbacks often concern the same stream.
        if stream == lastFoundStream {
            return lastFoundIndex
        }
        guard let data = nghttp2_session_get_stream_user_data(native, stream) else { return nil }
        lastFoundStream = stream
        lastFoundIndex = Self.index(data)
        return lastFoundIndex
    }

    func closeRecord(_ index: Int) {
        lastFoundStream = -1
        unsentBodyBytes -= streams[index].pointee.unsentBytes
        streams.remove(index)
    }

    // Index 0 must not become a null pointer, which means "no record".
    static func pointer(_ index: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: index + 1)
    }

    static func index(_ pointer: UnsafeMutableRawPointer) -> Int {
        Int(bitPattern: pointer) - 1
    }

    func readBody(_ index: Int, into target: UnsafeMutableRawPointer, atMost length: Int) -> (copied: Int, ended: Bool)
    {
        let record = streams[index]
        guard let body = record.pointee.body else { return (0, true) }
        let copied = body.copy(from: record.pointee.bodyOffset, to: target, atMost: length)
        record.pointee.bodyOffset += copied
        unsentBodyBytes -= copied
        return (copied, record.pointee.bodyOffset == body.count)
    }

    // MARK: Handling of the library's callbacks

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {}

    func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) {
        headerListSize = 0
    }

    /// Handles a header field. Returns `false` if the message is malformed and its stream must be reset.
    func fieldReceived(
        _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Bool { true }

    func dataReceived(stream: Int32, _ bytes: UnsafeRawBufferPointer) {}

    func streamClosed(stream: Int32, code: UInt32) {}

    func resetSent(_ frame: UnsafePointer<nghttp2_frame>) {}

    /// Handles a received frame with an error, for which the library resets the stream or ends the session. Called
    /// before the RST_STREAM or GOAWAY is sent.
    func frameRefused(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) {
        noteDiagnosis(frame.diagnosis(code))
    }

    /// Records the library's message about the peer's input, without the value of a field and without terminal control
    /// characters.
    func complained(_ text: UnsafeRawBufferPointer) {
        let text = String(decoding: text.map { 0x20...0x7e ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        noteDiagnosis(text.firstRange(of: ", value: [").map { String(text[..<$0.lowerBound]) } ?? text)
    }

    // MARK: Failures

    /// The number of consecutive frames outside messages (PING, SETTINGS, empty DATA, …) above which the session ends
    /// because of flooding. Such frames take no memory, but they take time from all other connections.
    static let maximumFramesWithoutUse = 10_000

    func frameBegan(_ header: nghttp2_frame_hd) {
        currentFrame = header
        // A message about an earlier frame does not explain an error in this frame.
        if diagnosis != nil { diagnosis = nil }
        framesWithoutUse += 1
        if framesWithoutUse > Self.maximumFramesWithoutUse {
            end(.flooded, "the peer sent \(Self.maximumFramesWithoutUse) frames in a row that belong to no message")
        }
    }

    /// The number of streams that have been refused or reset because of the peer's input since the output was last
    /// empty. If a peer causes refusals and does not read them, they fill the memory.
    @exclusivity(unchecked) private var unsentRefusals = 0

    /// Counts a refused or reset stream. Returns `false` if the session ended because of too many.
    func admitRefusal() -> Bool {
        unsentRefusals += 1
        guard unsentRefusals > Self.maximumFramesWithoutUse else { return true }
        end(.flooded, "the peer opened \(Self.maximumFramesWithoutUse) refused streams without reading the resets")
        return false
    }

    /// Records that the last frame belonged to a message.
    func noteUse() {
        framesWithoutUse = 0
    }

    /// Ends the session because the peer exceeded a limit that the library does not enforce.
    private func end(_ kind: HTTP2Error.Kind, _ problem: String) {
        guard failure == nil else { return }
        nghttp2_session_terminate_session(native, HTTP2ErrorCode.enhanceYourCalm.rawValue)
        fail(HTTP2Error(kind, problem))
    }

    /// Counts a received field toward the limit of the header list. Returns `false` if the session ended because the
    /// list is too large.
    func admitField(nameLength: Int, valueLength: Int) -> Bool {
        // RFC 9113, section 6.5.2: each field counts as its name, its value and 32 bytes.
        headerListSize += nameLength + valueLength + 32
        guard headerListSize > headerListLimit else { return true }
        end(.connection(.enhanceYourCalm), "the peer's header list is larger than \(headerListLimit) bytes")
        return false
    }

    func noteDiagnosis(_ text: String) {
        diagnosis = text
    }

    /// Records a failure if the library decided to send the GOAWAY. The library sends one when it ends the session
    /// because of an error by the peer.
    func goAwaySent(_ frame: UnsafePointer<nghttp2_frame>) {
        let goAway = frame.goAway
        guard failure == nil, goAway.code != .noError, goAway.code.rawValue != submittedGoAwayCode else { return }
        // The library's debug data names the frame and the broken rule. It may be empty.
        let said = String(decoding: goAway.debugData, as: UTF8.self)
        let problem = said.isEmpty ? diagnosis ?? goAway.code.meaning(at: currentFrame.place) : said
        fail(HTTP2Error(.connection(goAway.code), "the peer violated the protocol: \(problem)"))
    }

    @discardableResult
    private func fail(_ error: HTTP2Error) -> HTTP2Error {
        if failure == nil {
            failure = error
        }
        return failure ?? error
    }

    // MARK: Frames

    func check(_ result: Int32, _ action: @autoclosure () -> String) throws(HTTP2Error) {
        if result != 0 {
            throw HTTP2Error(native: Int(result), doing: action())
        }
    }

    func submitSettings(_ entries: [nghttp2_settings_entry]) throws(HTTP2Error) {
        try check(
            nghttp2_submit_settings(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count),
            "announcing settings")
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) throws(HTTP2Error) {
        try check(
            nghttp2_submit_rst_stream(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue),
            "resetting stream \(stream)")
    }

    func ping(_ payload: UInt64) throws(HTTP2Error) {
        let result = withUnsafeBytes(of: payload.bigEndian) { bytes in
            nghttp2_submit_ping(
                native, UInt8(NGHTTP2_FLAG_NONE.rawValue), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        try check(result, "sending a ping")
        // PINGs may keep a quiet connection open for weeks, and the replies must not count as flooding.
        noteUse()
    }

    func goAway(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) throws(HTTP2Error) {
        try check(
            nghttp2_submit_goaway(
                native, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStreamID, code.rawValue, debugData, debugData.count),
            "sending GOAWAY")
        submittedGoAwayCode = code.rawValue
    }

    // MARK: State

    var wantsRead: Bool {
        failure == nil && nghttp2_session_want_read(native) != 0
    }

    var wantsWrite: Bool {
        nghttp2_session_want_write(native) != 0
    }

    func remoteSetting(_ identifier: nghttp2_settings_id) -> Int {
        Int(nghttp2_session_get_remote_settings(native, identifier))
    }

    var connectionSendWindow: Int {
        Int(nghttp2_session_get_remote_window_size(native))
    }
}
