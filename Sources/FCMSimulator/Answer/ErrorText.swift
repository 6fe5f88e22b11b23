internal import PushSimulator

/// The body of a refusal: JSON in the form of `google.rpc.Status`, or the HTML of a front end.
struct ErrorText {
    let text: String

    init(_ answer: PlannedFCMAnswer, _ fault: FCMReason) {
        let message = answer.message ?? fault.message
        guard let word = fault.word else {
            text =
                "<!DOCTYPE html>\n<html lang=en>\n  <title>Error \(fault.status) (simulated)!!1</title>\n  <p>\(message)\n"
            return
        }
        var details: [String] = []
        if let code = fault.errorCode {
            details.append(Self.detail("google.firebase.fcm.v1.FcmError", #""errorCode":"\#(code)""#))
        }
        if let field = answer.field ?? Self.field(fault) {
            let violation = #"{"field":\#(jsonText(field)),"description":\#(jsonText(message))}"#
            details.append(Self.detail("google.rpc.BadRequest", #""fieldViolations":[\#(violation)]"#))
        }
        details += Self.others(fault)
        let list = details.isEmpty ? "" : #","details":[\#(details.joined(separator: ","))]"#
        text =
            #"{"error":{"code":\#(fault.status),"message":\#(jsonText(message)),"status":"\#(word)"\#(list)}}"# + "\n"
    }

    private static func detail(_ type: String, _ members: String) -> String {
        #"{"@type":"type.googleapis.com/\#(type)",\#(members)}"#
    }

    /// Returns the field to report if no check has determined one, or `nil` to report no field.
    private static func field(_ fault: FCMReason) -> String? {
        switch fault {
        case .invalidToken: "message.token"
        case .invalidPayload: "message.notification"
        default: nil
        }
    }

    private static func others(_ fault: FCMReason) -> [String] {
        switch fault {
        case .quotaExceeded: [quota("project")]
        case .deviceQuotaExceeded: [quota("device")]
        case .unauthenticated: [reason("ACCESS_TOKEN_EXPIRED")]
        case .permissionDenied: [reason("IAM_PERMISSION_DENIED")]
        case .thirdPartyAuthError:
            [detail("google.firebase.fcm.v1.ApnsError", #""statusCode":403,"reason":"InvalidProviderToken""#)]
        default: []
        }
    }

    private static func reason(_ word: String) -> String {
        detail("google.rpc.ErrorInfo", #""reason":"\#(word)","domain":"googleapis.com""#)
    }

    private static func quota(_ subject: String) -> String {
        let violation = #"{"subject":"\#(subject)","description":"Messages per minute for this \#(subject)."}"#
        return detail("google.rpc.QuotaFailure", #""violations":[\#(violation)]"#)
    }
}
