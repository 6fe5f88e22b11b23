internal import CNGHTTP2

/// Helpers that allocate and free the objects that the library needs to create a session.
enum NativeSetup {
    static func withCallbacks<Result>(
        _ body: (OpaquePointer) throws(HTTP2Error) -> Result
    ) throws(HTTP2Error) -> Result {
        var callbacks: OpaquePointer?
        let result = nghttp2_session_callbacks_new(&callbacks)
        guard result == 0, let callbacks else {
            throw HTTP2Error(native: Int(result), doing: "creating a session")
        }
        defer { nghttp2_session_callbacks_del(callbacks) }
        return try body(callbacks)
    }

    static func withOptions<Result>(
        _ body: (OpaquePointer) throws(HTTP2Error) -> Result
    ) throws(HTTP2Error) -> Result {
        var options: OpaquePointer?
        let result = nghttp2_option_new(&options)
        guard result == 0, let options else {
            throw HTTP2Error(native: Int(result), doing: "creating a session")
        }
        defer { nghttp2_option_del(options) }
        return try body(options)
    }
}
