import Metering
import Testing

@Suite struct MetricFormatTests {
    @Test(arguments: [
        (nil, MetricFormat.text), ("", .text), ("*/*", .text), ("text/html, */*;q=0.1", .text), ("text/plain", .text),
        ("application/openmetrics-text", .openMetrics),
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
        ("application/openmetrics-text;version=0.0.1", .text),
        ("application/openmetrics-text;q=0", .text),
        ("text/plain;q=0.9, application/openmetrics-text;version=1.0.0;q=0.4", .text),
        // The headers of Prometheus 2.42 and of Prometheus 3.
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
        ),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;"
                + "version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;"
                + "q=0.3,*/*;q=0.2", .openMetrics
        ),
    ])
    func selectsFormatFromAcceptHeader(_ accept: String?, _ expected: MetricFormat) {
        #expect(MetricFormat(accept: accept) == expected)
    }

    @Test func declaresVersionInContentType() {
        #expect(MetricFormat.text.contentType.hasPrefix("text/plain; version=0.0.4"))
        #expect(MetricFormat.openMetrics.contentType.hasPrefix("application/openmetrics-text; version=1.0.0"))
    }
}
