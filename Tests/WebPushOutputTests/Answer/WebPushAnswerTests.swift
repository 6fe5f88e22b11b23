import Testing
import WebPushOutput

@Suite struct WebPushAnswerTests {
    struct Row: CustomTestStringConvertible {
        let status: Int
        let body: String
        let service: PushService
        let hasRetryAfter: Bool
        let answer: WebPushAnswer
        let reason: String

        init(
            _ status: Int, _ answer: WebPushAnswer, _ reason: String, from service: PushService = .other,
            hasRetryAfter: Bool = false
        ) {
            self.init(status, "", answer, reason, from: service, hasRetryAfter: hasRetryAfter)
        }

        init(
            _ status: Int, _ body: String, _ answer: WebPushAnswer, _ reason: String,
            from service: PushService = .other, hasRetryAfter: Bool = false
        ) {
            self.status = status
            self.body = body
            self.service = service
            self.hasRetryAfter = hasRetryAfter
            self.answer = answer
            self.reason = reason
        }

        var testDescription: String { "\(status) \(body)" }
    }

    private func check(_ row: Row) {
        let words = RefusalBody(Array(row.body.utf8))
        let answer = WebPushAnswer(
            status: row.status, words: words, from: row.service, hasRetryAfter: row.hasRetryAfter)
        #expect(answer == row.answer)
        #expect(answer.reason(status: row.status, words: words) == row.reason)
    }

    @Test(arguments: [
        Row(201, .accepted, "Status201", from: .apple),
        Row(400, #"{"reason":"VapidPkHashMismatch"}"#, .keyMismatch, "KeyMismatch", from: .apple),
        Row(403, #"{"reason":"VapidPkHashMismatch"}"#, .keyMismatch, "KeyMismatch", from: .apple),
        Row(403, #"{"reason":"BadJwtToken"}"#, .credentialRefused, "BadJwtToken", from: .apple),
        Row(400, #"{"reason":"BadAuthorizationHeader"}"#, .credentialRefused, "BadAuthorizationHeader", from: .apple),
        Row(400, #"{"reason":"BadVapidPublicKey"}"#, .credentialRefused, "BadVapidPublicKey", from: .apple),
        Row(400, #"{"reason":"BadTtl"}"#, .refused, "BadTtl", from: .apple),
        Row(400, #"{"reason":"BadUrgency"}"#, .refused, "BadUrgency", from: .apple),
        Row(400, #"{"reason":"BadWebPushTopic"}"#, .refused, "BadWebPushTopic", from: .apple),
        Row(400, #"{"reason":"BadWebPushRequest"}"#, .refused, "BadWebPushRequest", from: .apple),
        Row(404, #"{"reason":"BadPath"}"#, .refused, "BadPath", from: .apple),
        Row(404, .subscriptionGone, "Status404", from: .apple),
        Row(405, .refused, "Status405", from: .apple),
        Row(410, #"{"reason":"Unregistered"}"#, .subscriptionGone, "Unregistered", from: .apple),
        Row(410, #"{"reason":"ExpiredToken"}"#, .subscriptionGone, "ExpiredToken", from: .apple),
        Row(413, #"{"reason":"PayloadTooLarge"}"#, .tooLarge, "PayloadTooLarge", from: .apple),
        Row(429, #"{"reason":"TooManyRequests"}"#, .busy, "TooManyRequests", from: .apple),
        Row(500, #"{"reason":"InternalServerError"}"#, .unavailable, "InternalServerError", from: .apple),
        Row(503, #"{"reason":"ServiceUnavailable"}"#, .unavailable, "ServiceUnavailable", from: .apple),
        Row(503, #"{"reason":"Shutdown"}"#, .unavailable, "Shutdown", from: .apple),
    ])
    func classifiesAnswersOfApple(row: Row) { check(row) }

    @Test(arguments: [
        Row(201, .accepted, "Status201"),
        Row(400, #"{"code":400,"errno":110,"error":"Bad Request"}"#, .refused, "Errno110"),
        Row(400, #"{"errno":111}"#, .refused, "Errno111"), Row(400, #"{"errno":113}"#, .refused, "Errno113"),
        Row(401, #"{"code":401,"errno":109,"message":"VAPID public key mismatch"}"#, .keyMismatch, "KeyMismatch"),
        Row(401, #"{"errno":109,"message":"Invalid VAPID audience"}"#, .credentialRefused, "Errno109"),
        Row(404, #"{"errno":102}"#, .subscriptionGone, "Errno102"),
        Row(410, #"{"errno":103}"#, .subscriptionGone, "Errno103"),
        Row(410, #"{"errno":105}"#, .subscriptionGone, "Errno105"),
        Row(410, #"{"code":410,"errno":106,"error":"Gone"}"#, .subscriptionGone, "Errno106"),
        Row(413, #"{"errno":104}"#, .tooLarge, "Errno104"), Row(502, #"{"errno":900}"#, .unavailable, "Errno900"),
        Row(503, #"{"errno":201}"#, .busy, "Errno201", hasRetryAfter: true),
        Row(503, #"{"errno":202}"#, .unavailable, "Errno202"),
    ])
    func classifiesAnswersOfMozilla(row: Row) { check(row) }

    @Test(arguments: [
        Row(201, .accepted, "Status201"),
        Row(
            403,
            "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.",
            .keyMismatch, "KeyMismatch"),
        Row(403, "<HTML><TITLE>MismatchSenderId</TITLE>", .keyMismatch, "KeyMismatch"),
        Row(403, "<html>Forbidden</html>", .unauthorized, "Status403"), Row(401, "", .unauthorized, "Status401"),
        Row(400, "<HTML>\n<TITLE>UnauthorizedRegistration</TITLE>", .unauthorized, "Status400"),
        Row(400, "", .refused, "Status400"), Row(404, "", .subscriptionGone, "Status404"),
        Row(410, "push subscription has unsubscribed or expired.", .subscriptionGone, "Status410"),
        Row(413, .tooLarge, "Status413"), Row(429, .busy, "Status429"), Row(500, .unavailable, "Status500"),
        Row(502, "<html>", .unavailable, "Status502"), Row(503, .unavailable, "Status503"),
        Row(503, .busy, "Status503", hasRetryAfter: true),
    ])
    func classifiesAnswersOfGoogle(row: Row) { check(row) }

    @Test(arguments: [
        Row(200, .accepted, "Status200", from: .microsoft), Row(201, .accepted, "Status201", from: .microsoft),
        Row(401, .unauthorized, "Status401", from: .microsoft), Row(403, .unauthorized, "Status403", from: .microsoft),
        Row(404, .subscriptionGone, "Status404", from: .microsoft),
        Row(410, .subscriptionGone, "Status410", from: .microsoft),
        Row(406, .busy, "Status406", from: .microsoft, hasRetryAfter: true),
        Row(406, .busy, "Status406", from: .microsoft),
        Row(413, .tooLarge, "Status413", from: .microsoft),
    ])
    func classifiesAnswersOfMicrosoft(row: Row) { check(row) }

    @Test(arguments: [
        Row(202, .accepted, "Status202"), Row(204, .accepted, "Status204"),
        Row(301, .redirected, "Redirected"), Row(307, .redirected, "Redirected"), Row(406, .refused, "Status406"),
        Row(408, .unavailable, "Status408"), Row(421, .unavailable, "Status421"), Row(418, .refused, "Status418"),
        Row(501, .refused, "Status501"),
        Row(504, .unavailable, "Status504"), Row(507, .noListener, "Status507"), Row(100, .unavailable, "Status100"),
        // A reason is a single word of at most 64 characters.
        Row(400, #"{"reason":"a b"}"#, .refused, "Status400"), Row(400, #"{"reason":""}"#, .refused, "Status400"),
        Row(400, #"{"reason":"\#(String(repeating: "x", count: 65))"}"#, .refused, "Status400"),
        Row(400, #"{"reason":"#, .refused, "Status400"), Row(400, "[]", .refused, "Status400"),
        // The status takes precedence over the reason.
        Row(201, #"{"reason":"VapidPkHashMismatch"}"#, .accepted, "VapidPkHashMismatch"),
        Row(429, #"{"reason":"Unregistered"}"#, .busy, "Unregistered"),
        Row(400, #"{"reason":"Unregistered"}"#, .refused, "Unregistered"),
    ])
    func classifiesAnswersOfAnyService(row: Row) { check(row) }
}
