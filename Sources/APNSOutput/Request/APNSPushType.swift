/// The values of `apns-push-type` and what each asks for
/// (Apple: "Sending notification requests to APNs").
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

    /// What the topic adds to the app's bundle id.
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
        // why: nothing is appended where there is nothing to append, which would copy the text.
        topicSuffix.isEmpty ? app : app + topicSuffix
    }

    /// The priority sent when the job names none: Apple's default of 10, but 5 where 10 is an error
    /// (`background`) or costs the widget's budget.
    package var defaultPriority: Int {
        switch self {
        case .background, .widgets: 5
        default: 10
        }
    }

    /// The priorities Apple's page leaves this type.
    package var allowedPriorities: [Int] {
        switch self {
        case .background: [5]
        case .liveactivity: [5, 10]
        case .pushtotalk: [10]
        default: [1, 5, 10]
        }
    }

    /// Largest JSON body in bytes.
    package var maximumPayloadBytes: Int { self == .voip ? 5_120 : 4_096 }

    /// Certificates are refused.
    package var needsProviderToken: Bool { self == .location }

    /// PushToTalk pushes must not be stored.
    package var mustNotBeStored: Bool { self == .pushtotalk }
}
