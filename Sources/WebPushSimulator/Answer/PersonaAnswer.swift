internal import HTTP2Session
internal import PushSimulator

/// An answer in the format of a persona.
struct PersonaAnswer {
    let status: Int
    var fields: [HTTP2Field] = []
    var body = ""

    init(_ answer: PlannedWebPushAnswer, _ persona: Persona) {
        let fault = answer.fault ?? .internalError
        switch persona {
        case .apple: self.init(apple: fault)
        case .mozilla: self.init(mozilla: fault, answer.otherStatus)
        case .google: self.init(google: fault)
        case .microsoft: self.init(microsoft: fault, answer.detail)
        }
        if fault == .redirect {
            let elsewhere = answer.location ?? "https://canary.invalid/push"
            self = PersonaAnswer(status: 307, fields: [HTTP2Field("location", elsewhere)])
        }
        if let status = answer.otherStatus { self = PersonaAnswer(status: status, fields: fields, body: body) }
        if let seconds = answer.retryAfter {
            fields.removeAll { $0.name == "retry-after" }
            fields.append(HTTP2Field("retry-after", String(seconds)))
        }
        // `x-simulator-detail` helps people who read the answer. No real service sends this field.
        if let detail = answer.detail { fields.append(HTTP2Field("x-simulator-detail", detail)) }
    }

    private init(status: Int, fields: [HTTP2Field] = [], body: String = "") {
        self.status = status
        self.fields = fields
        self.body = body
    }

    private static let json = HTTP2Field("content-type", "application/json")

    // MARK: Apple

    private init(apple fault: WebPushReason) {
        let (status, reason) = Self.apple(fault)
        self.init(status: status, fields: [Self.json], body: #"{"reason":"\#(reason)"}"#)
    }

    private static func apple(_ fault: WebPushReason) -> (status: Int, reason: String) {
        switch fault {
        case .badPath: (404, "BadPath")
        case .methodNotAllowed: (405, "MethodNotAllowed")
        case .missingAuthorization, .badAuthorization: (403, "BadAuthorizationHeader")
        case .badKey: (403, "BadVapidPublicKey")
        case .badToken, .expiredToken: (403, "BadJwtToken")
        case .keyMismatch: (400, "VapidPkHashMismatch")
        case .missingTTL, .badTTL: (400, "BadTtl")
        case .badUrgency: (400, "BadUrgency")
        case .badTopic: (400, "BadWebPushTopic")
        case .badCachePolicy, .badEncoding: (400, "BadWebPushRequest")
        case .tooLarge: (413, "PayloadTooLarge")
        case .gone: (410, "Unregistered")
        case .unknown: (404, "Unregistered")
        case .tooManyRequests: (429, "TooManyRequests")
        case .internalError, .redirect: (500, "InternalServerError")
        case .badGateway: (502, "InternalServerError")
        case .unavailable: (503, "ServiceUnavailable")
        case .insufficientStorage: (507, "ServiceUnavailable")
        }
    }

    // MARK: Mozilla

    private init(mozilla fault: WebPushReason, _ otherStatus: Int?) {
        let (status, number, error) = Self.mozilla(fault)
        let code = otherStatus ?? status
        self.init(
            status: status, fields: [Self.json],
            body: #"{"code":\#(code),"errno":\#(number),"error":"\#(error)","message":"\#(Self.mozillaText(fault))","#
                + #""more_info":"http://autopush.readthedocs.io/en/latest/http.html#error-codes"}"#)
        switch fault {
        case .gone: fields.append(HTTP2Field("cache-control", "max-age=86400"))
        case .unavailable, .tooManyRequests: fields.append(HTTP2Field("retry-after", "120"))
        case .missingAuthorization, .badAuthorization, .badKey, .badToken, .expiredToken, .keyMismatch:
            fields.append(HTTP2Field("www-authenticate", "vapid"))
        default: break
        }
    }

    /// Returns the message from Mozilla's server (autopush) if senders recognize the fault by it, or otherwise the name
    /// of the fault.
    private static func mozillaText(_ fault: WebPushReason) -> String {
        fault == .keyMismatch ? "VAPID public key mismatch" : fault.rawValue
    }

    private static func mozilla(_ fault: WebPushReason) -> (status: Int, number: Int, error: String) {
        switch fault {
        case .badPath, .unknown: (404, 102, "Not Found")
        case .methodNotAllowed: (405, 999, "Method Not Allowed")
        case .missingAuthorization, .badAuthorization, .badKey, .badToken, .expiredToken, .keyMismatch:
            (401, 109, "Unauthorized")
        case .missingTTL: (400, 111, "Bad Request")
        case .badTTL: (400, 112, "Bad Request")
        case .badTopic: (400, 113, "Bad Request")
        case .badUrgency, .badCachePolicy, .badEncoding: (400, 110, "Bad Request")
        case .tooLarge: (413, 104, "Payload Too Large")
        case .gone: (410, 106, "Gone")
        case .tooManyRequests: (503, 201, "Service Unavailable")
        case .internalError, .redirect: (500, 999, "Internal Server Error")
        case .badGateway: (502, 900, "Bad Gateway")
        case .unavailable: (503, 202, "Service Unavailable")
        case .insufficientStorage: (507, 999, "Insufficient Storage")
        }
    }

    // MARK: Google

    private init(google fault: WebPushReason) {
        let (status, text) = Self.google(fault)
        self.init(status: status, fields: [HTTP2Field("content-type", "text/plain; charset=utf-8")], body: text + "\n")
    }

    private static func google(_ fault: WebPushReason) -> (status: Int, text: String) {
        switch fault {
        case .badPath, .unknown: (404, "A valid push subscription endpoint should be specified in the URL.")
        case .methodNotAllowed: (405, "HTTP method POST is required.")
        case .missingAuthorization: (401, "authorization header must be specified.")
        case .badAuthorization: (401, "invalid authorization header.")
        case .badKey: (400, "UnauthorizedRegistration")
        case .badToken, .expiredToken: (403, "invalid JWT provided")
        case .keyMismatch:
            (
                403,
                "the VAPID credentials in the authorization header do not correspond to the credentials used to create the "
                    + "subscriptions."
            )
        case .missingTTL: (400, "missing TTL header")
        case .badTTL: (400, "invalid TTL header")
        case .badUrgency: (400, "invalid Urgency header")
        case .badTopic: (400, "invalid Topic header")
        case .badCachePolicy, .badEncoding: (400, "invalid content encoding")
        case .tooLarge: (413, "payload too large")
        case .gone: (410, "push subscription has unsubscribed or expired.")
        case .tooManyRequests: (429, "too many requests")
        case .internalError, .redirect: (500, "internal error")
        case .badGateway: (502, "bad gateway")
        case .unavailable: (503, "service unavailable")
        case .insufficientStorage: (507, "insufficient storage")
        }
    }

    // MARK: Microsoft

    /// Creates an answer without a body. A header field describes the fault.
    private init(microsoft fault: WebPushReason, _ detail: String?) {
        self.init(
            status: Self.microsoft(fault),
            fields: [
                HTTP2Field("x-wns-status", fault == .tooManyRequests ? "channelthrottled" : "dropped"),
                HTTP2Field("x-wns-notificationstatus", "dropped"),
                HTTP2Field("x-wns-error-description", detail ?? fault.rawValue),
            ])
        if fault == .tooManyRequests { fields.append(HTTP2Field("retry-after", "60")) }
    }

    private static func microsoft(_ fault: WebPushReason) -> Int {
        switch fault {
        case .badPath, .unknown: 404
        case .methodNotAllowed: 405
        case .missingAuthorization, .badAuthorization, .badKey, .badToken, .expiredToken: 401
        case .keyMismatch: 403
        case .missingTTL, .badTTL, .badUrgency, .badTopic, .badCachePolicy, .badEncoding: 400
        case .tooLarge: 413
        case .gone: 410
        case .tooManyRequests: 406
        case .internalError, .redirect: 500
        case .badGateway: 502
        case .unavailable: 503
        case .insufficientStorage: 507
        }
    }
}
