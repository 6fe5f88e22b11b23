import FCMOutput
import PushModel
import Testing

/// Every row of Google's error table, and answers that resemble a different row.
@Suite struct FCMAnswerTests {
    private static func error(_ status: String, _ message: String = "m", _ details: String...) -> String {
        #"{"error":{"code":0,"message":"\#(message)","status":"\#(status)","details":[\#(details.joined(separator: ","))]}}"#
    }

    private static func code(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static func field(_ field: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)","description":"d"}]}"#
    }

    private static func quota(_ subject: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"project:smart-devices","description":"\#(subject)"}]}"#
    }

    private static let generic = "Request is missing required authentication credential."

    @Test(arguments: [
        (400, error("INVALID_ARGUMENT", "Invalid value", field("message.android.ttl")), 0, FCMAnswer.refused),
        (
            400, error("INVALID_ARGUMENT", "m", field("message.data[0].value"), code("INVALID_ARGUMENT")), 0,
            .payloadRefused
        ),
        (400, error("INVALID_ARGUMENT", "m", field("message.apns.payload")), 0, .refused),
        (400, error("INVALID_ARGUMENT", "m", field("message")), 0, .refused),
        (400, error("INVALID_ARGUMENT", "not a valid FCM registration token", code("INVALID_ARGUMENT")), 0, .refused),
        (400, error("INVALID_ARGUMENT", "m", field("message.token"), code("INVALID_ARGUMENT")), 0, .refused),
        (400, error("INVALID_ARGUMENT", "m", field("message.fid")), 0, .refused),
        (400, error("INVALID_ARGUMENT", "APNs device token is disabled", code("INVALID_ARGUMENT")), 0, .refused),
        (400, error("INVALID_ARGUMENT"), 0, .refused), (400, "<html>", 0, .refused),
        (401, error("UNAUTHENTICATED", generic), 0, .unauthenticated),
        (401, error("UNAUTHENTICATED", generic, code("THIRD_PARTY_AUTH_ERROR")), 0, .tokenRefused),
        (401, error("UNAUTHENTICATED", "m", code("APNS_AUTH_ERROR")), 0, .tokenRefused), (401, "", 0, .unauthenticated),
        (403, error("PERMISSION_DENIED", "SenderId mismatch", code("SENDER_ID_MISMATCH")), 0, .tokenRefused),
        (403, error("PERMISSION_DENIED", "Permission denied on resource project"), 0, .doubtful),
        (403, error("PERMISSION_DENIED", "m", code("UNSPECIFIED_ERROR")), 0, .doubtful),
        (403, error("FORBIDDEN"), 0, .doubtful), (403, "", 0, .doubtful), (403, "<html>", 0, .doubtful),
        (404, error("NOT_FOUND", "Requested entity was not found.", code("UNREGISTERED")), 0, .tokenDead),
        (404, error("NOT_FOUND", "Requested entity was not found."), 0, .doubtful),
        (404, "", 0, .doubtful), (404, "<html>", 0, .doubtful),
        (404, error("NOT_FOUND", "m", code("UNSPECIFIED_ERROR")), 0, .doubtful),
        (429, error("RESOURCE_EXHAUSTED", "m", code("QUOTA_EXCEEDED")), 0, .projectMustWait(60)),
        (429, error("RESOURCE_EXHAUSTED", "m", code("QUOTA_EXCEEDED")), 7, .projectMustWait(7)),
        (429, error("RESOURCE_EXHAUSTED", "m", quota("d"), code("QUOTA_EXCEEDED")), 0, .projectMustWait(60)),
        (
            429, error("RESOURCE_EXHAUSTED", "m", quota("Device message rate"), code("QUOTA_EXCEEDED")), 0,
            .retryAfter(60)
        ),
        (429, "", 0, .projectMustWait(60)), (500, error("INTERNAL", "m", code("INTERNAL")), 0, .retry),
        (500, "<html>", 0, .retry),
        (503, error("UNAVAILABLE", "m", code("UNAVAILABLE")), 0, .retry),
        (503, error("UNAVAILABLE", "m", code("UNAVAILABLE")), 30, .projectMustWait(30)), (502, "<html>", 0, .retry),
        (504, "", 0, .retry), (408, "", 0, .retry), (421, "", 0, .retry), (405, "", 0, .refused),
        (413, "", 0, .refused),
        (302, "", 0, .refused),
        // A token is marked dead only if the status and the error code agree.
        (400, error("INVALID_ARGUMENT", "m", code("UNREGISTERED")), 0, .refused),
        (500, error("INTERNAL", "m", code("UNREGISTERED")), 0, .retry),
    ])
    func classifiesAnswers(status: Int, body: String, retryAfter: Int32, answer: FCMAnswer) {
        #expect(FCMAnswer(status: status, FCMErrorBody(Array(body.utf8)), retryAfter: retryAfter) == answer)
    }

    /// Held messages would end as `RetriesExhausted` if their reason meant `retry`.
    @Test(arguments: ["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "Status403", "Status404"])
    func doesNotMapCredentialRefusalsToRetry(reason: String) {
        #expect(FCMPlugin().reasons[reason] != .retry)
    }

    @Test func delaysOnlyTopicWhenTopicQuotaIsExceeded() {
        let body = FCMErrorBody(
            Array(Self.error("RESOURCE_EXHAUSTED", "Topic quota exceeded", Self.code("QUOTA_EXCEEDED")).utf8))
        #expect(FCMAnswer(status: 429, body, retryAfter: 0, isBroadcast: true) == .retryAfter(60))
    }

    @Test func readsAllFieldsOfErrorBody() {
        let body = FCMErrorBody(
            Array(
                Self.error("INVALID_ARGUMENT", "wörter", Self.field("message.x"), Self.quota("s"), Self.code("C")).utf8)
        )
        #expect(body.status == "INVALID_ARGUMENT" && body.message == "wörter" && body.errorCode == "C")
        #expect(body.violatedField == "message.x" && body.violation == "d" && body.quota == "s")
    }

    /// Only the beginning of an overlong body is read, and it may end at any byte.
    @Test func readsBeginningOfLongBody() {
        let whole = Array(Self.error("PERMISSION_DENIED", "Zürich 🎉", Self.code("SENDER_ID_MISMATCH")).utf8)
        for end in whole.indices {
            let body = FCMErrorBody(Array(whole[..<end]), isCut: true)
            #expect([nil, "Zürich 🎉"].contains(body.message) && [nil, "PERMISSION_DENIED"].contains(body.status))
            let answer = FCMAnswer(status: 403, body, retryAfter: 0)
            #expect(answer == (body.errorCode == nil ? .doubtful : .tokenRefused), "\(end)")
        }
        let status = whole.firstRange(of: Array(#""details""#.utf8))
        #expect(FCMErrorBody(Array(whole[..<(status?.lowerBound ?? 0)]), isCut: true).status == "PERMISSION_DENIED")
        #expect(FCMErrorBody(whole, isCut: true).errorCode == "SENDER_ID_MISMATCH")
    }

    @Test(arguments: [
        "", "[]", "7", #"{"error":7}"#, #"{"error":{"details":7}}"#, #"{"error":{"details":[7,{"errorCode":7}]}}"#,
        #"{"error":{"details":[{"fieldViolations":[7]}]}}"#, #"{"error":"#, "\u{FF}",
    ])
    func treatsUnreadableBodyAsEmpty(body: String) {
        #expect(FCMErrorBody(Array(body.utf8)) == FCMErrorBody([]))
    }
}
