internal import Foundation

/// The resource that the path of a request names.
enum Route: Hashable {
    case accessTokens
    /// The resource to which messages are sent. A project is named by its id or number.
    ///
    /// - Parameter fault: the fault in the query, or `nil`.
    case messages(project: String, fault: QueryFault?)
    case nowhere

    /// A query parameter that Google's front end refuses.
    enum QueryFault: Hashable {
        case unknown(String)
        case value(name: String, value: String)
    }

    /// The query parameters that all methods of Google's APIs accept. Some of them may begin with `$`.
    private static let systemParameters: Set<String> = [
        "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "uploadType",
        "upload_protocol", "$.xgafv", "$alt", "$callback", "$fields", "$key", "$prettyPrint", "$quotaUser",
    ]

    init(path: String) {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if path == TokenEndpoint.path {
            self = .accessTokens
        } else if let match = parts[0].wholeMatch(of: /\/v1\/projects\/([^\/#]+)\/messages:send/) {
            self = .messages(project: String(match.1), fault: parts.count < 2 ? nil : Self.fault(in: parts[1]))
        } else {
            self = .nowhere
        }
    }

    private static func fault(in query: Substring) -> QueryFault? {
        for pair in query.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? String($0)
            }
            let name = sides[0], value = sides.count > 1 ? sides[1] : ""
            guard systemParameters.contains(name) else { return .unknown(name) }
            // Current client generators write `json;enum-encoding=int`.
            if name.hasSuffix("alt"), value.split(separator: ";").first != "json" {
                return .value(name: name, value: value)
            }
        }
        return nil
    }
}

extension MessageFault {
    init(_ fault: Route.QueryFault) {
        switch fault {
        case .unknown(let name):
            self.init(
                field: "",
                description: "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
                    + "Field '\(name)' could not be found in request message.")
        case .value(let name, let value):
            self.init(
                field: name, description: "Invalid value at '\(name)': \"\(value)\"; only json is simulated.")
        }
    }
}
