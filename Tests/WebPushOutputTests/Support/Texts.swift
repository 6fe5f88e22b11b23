import PushModel
import WebPushOutput

extension Subscription {
    init(text: String) throws(WebPushFault) {
        self = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(WebPushFault) in try Subscription(bytes) }
    }
}

extension PushEndpoint {
    init(text: String) throws(WebPushFault) {
        self = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(WebPushFault) in try PushEndpoint(bytes) }
    }
}

/// The example of RFC 8291, section 5 and appendix A.
enum RFC8291 {
    static let message = "When I grow up, I want to be a watermelon"
    static let receiverPoint = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let receiverKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
}
