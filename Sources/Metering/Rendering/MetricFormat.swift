/// The format of a metrics page: Prometheus' text format, version 0.0.4, or OpenMetrics 1.0.0.
package enum MetricFormat: Sendable, Hashable, CaseIterable {
    case text
    case openMetrics

    package var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Creates the format that the client prefers (RFC 9110, section 12.5.1), or the text format if the client states
    /// no preference.
    ///
    /// - Parameter accept: the header `Accept` of the request, or `nil` if it has none.
    package init(accept: String?) {
        var best: [MetricFormat: Double] = [:]
        for range in (accept ?? "").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst("version=".count)
            switch parts.first {
            case "application/openmetrics-text" where version == nil || version == "1.0.0":
                best[.openMetrics] = max(best[.openMetrics] ?? 0, quality)
            case "text/plain", "text/*", "*/*": best[.text] = max(best[.text] ?? 0, quality)
            default: break
            }
        }
        let openMetrics = best[.openMetrics] ?? 0
        self = openMetrics > 0 && openMetrics >= best[.text] ?? 0 ? .openMetrics : .text
    }
}
