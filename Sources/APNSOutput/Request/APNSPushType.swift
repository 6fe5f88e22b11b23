/// The values of `apns-push-type` and their requirements (Apple: "Sending notification requests to APNs").
package enum APNSPushType: String, Sendable, CaseIterable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// The suffix that the topic adds to the app's bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    package func topic(of app: String) -> String {
        // Appending an empty suffix would copy the text.
        topicSuffix.isEmpty ? app : app + topicSuffix
    }

    /// The priority of a job that names none. It is Apple's default of 10, or 5 where 10 is an error (`background`) or
    /// uses the widget's budget (`widgets`).
    package var defaultPriority: Int {
        switch self {
        case .background, .widgets: 5
        default: 10
        }
    }

    /// The priorities that Apple's page allows for this type.
    package var allowedPriorities: [Int] {
        switch self {
        case .background: [5]
        case .liveactivity: [5, 10]
        case .pushtotalk: [10]
        default: [1, 5, 10]
        }
    }

    /// The maximum size of the JSON body, in bytes.
    package var maximumPayloadBytes: Int { self == .voip ? 5_120 : 4_096 }

    /// Whether APNs refuses certificates for this type.
    package var needsProviderToken: Bool { self == .location }

    /// Whether APNs must not store pushes of this type, which is the case for PushToTalk.
    package var mustNotBeStored: Bool { self == .pushtotalk }
}
