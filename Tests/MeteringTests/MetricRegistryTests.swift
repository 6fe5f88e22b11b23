import Metering
import Testing

@Suite struct MetricRegistryTests {
    private final class Owner {}

    private static let pushes = MetricFamily("pushes_total", .counter, "Pushes.", labels: ["kind"])
    private static let waits = MetricFamily(
        "wait_seconds", .histogram([0.5, 1, 2.5]), "How long.", labels: ["lane"], scale: 1000)

    @Test func sumsCellsOfAllOwners() {
        let registry = MetricRegistry()
        let (first, second) = (Owner(), Owner())
        registry.cell(Self.pushes, ["sent"], of: first).add(3)
        registry.cell(Self.pushes, ["sent"], of: second).add(4)
        registry.cell(Self.pushes, ["sent"], of: first).add()
        registry.cell(Self.pushes, ["failed"], of: second).add(-1)
        registry.read("another") { page in page.add(Self.pushes, ["sent"], 10) }
        let values = registry.page().values(of: Self.pushes)
        #expect(values.map(\.labels) == [["kind": "failed"], ["kind": "sent"]])
        #expect(values.map(\.value) == [-1, 18])
    }

    @Test func showsSeriesBeforeFirstCount() {
        let registry = MetricRegistry()
        _ = registry.cell(Self.pushes, ["sent"])
        _ = registry.histogram(Self.waits, ["bulk"])
        let text = registry.page().text(.text, [Self.pushes, Self.waits])
        #expect(text.contains("\nmartlet_pushes_total{kind=\"sent\"} 0\n"))
        #expect(text.contains("\nmartlet_wait_seconds_count{lane=\"bulk\"} 0\n"))
    }

    @Test func replacesReaderOfSameName() {
        let registry = MetricRegistry()
        registry.read("one") { page in page.add(Self.pushes, ["sent"], 1) }
        registry.read("one") { page in page.add(Self.pushes, ["sent"], 2) }
        #expect(registry.page().values(of: Self.pushes).map(\.value) == [2])
    }

    /// A value equal to a bound counts in the bucket of that bound.
    @Test func accumulatesHistogramBuckets() {
        let registry = MetricRegistry()
        let (first, second) = (Owner(), Owner())
        registry.histogram(Self.waits, ["bulk"], of: first).observe(500)
        registry.histogram(Self.waits, ["bulk"], of: second).observe(501, times: 3)
        registry.histogram(Self.waits, ["bulk"], of: second).observe(-7)
        registry.histogram(Self.waits, ["bulk"], of: first).observe(99_999)
        #expect(
            registry.page().text(.text, [Self.waits]) == """
                # HELP martlet_wait_seconds How long.
                # TYPE martlet_wait_seconds histogram
                martlet_wait_seconds_bucket{lane="bulk",le="0.5"} 2
                martlet_wait_seconds_bucket{lane="bulk",le="1.0"} 5
                martlet_wait_seconds_bucket{lane="bulk",le="2.5"} 5
                martlet_wait_seconds_bucket{lane="bulk",le="+Inf"} 6
                martlet_wait_seconds_sum{lane="bulk"} 101.995
                martlet_wait_seconds_count{lane="bulk"} 6

                """)
    }

    @Test func rendersBothFormats() {
        let info = MetricFamily("build_info", .info, #"Says "what" \ this is."#, labels: ["version"])
        let start = MetricFamily("start_seconds", .gauge, "When.", scale: 1000, prefix: "")
        let empty = MetricFamily("empty", .gauge, "Nothing.")
        var page = MetricPage()
        page.add(info, ["1\"\\\n"], 1)
        page.add(start, 1_500)
        page.add(Self.pushes, ["sent"], 2)
        let families = [info, start, Self.pushes, empty]
        #expect(
            page.text(.text, families) == #"""
                # HELP martlet_build_info Says "what" \\ this is.
                # TYPE martlet_build_info gauge
                martlet_build_info{version="1\"\\\n"} 1
                # HELP start_seconds When.
                # TYPE start_seconds gauge
                start_seconds 1.5
                # HELP martlet_pushes_total Pushes.
                # TYPE martlet_pushes_total counter
                martlet_pushes_total{kind="sent"} 2
                # HELP martlet_empty Nothing.
                # TYPE martlet_empty gauge

                """#)
        #expect(
            page.text(.openMetrics, families) == #"""
                # HELP martlet_build Says \"what\" \\ this is.
                # TYPE martlet_build info
                martlet_build_info{version="1\"\\\n"} 1
                # HELP start_seconds When.
                # TYPE start_seconds gauge
                start_seconds 1.5
                # HELP martlet_pushes Pushes.
                # TYPE martlet_pushes counter
                martlet_pushes_total{kind="sent"} 2
                # HELP martlet_empty Nothing.
                # TYPE martlet_empty gauge
                # EOF

                """#)
    }

    @Test func rendersSeriesWithRenamedLastLabel() {
        let family = MetricFamily("expiry", .gauge, "When.", labels: ["credential", "account"])
        var page = MetricPage()
        page.add(family, ["1", "x"], 5)
        page.add(family.with(lastLabel: "team"), ["2", "y"], 6)
        #expect(
            page.text(.text, [family]).hasSuffix(
                "martlet_expiry{credential=\"1\",account=\"x\"} 5\nmartlet_expiry{credential=\"2\",team=\"y\"} 6\n"))
    }

    @Test func followsPrometheusNamingRules() {
        for family in MetricFamily.all {
            #expect(family.name.wholeMatch(of: /(martlet|process)_[a-z][a-z_]*[a-z]/) != nil, "\(family.name)")
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect((family.kind == .info) == family.name.hasSuffix("_info"), "\(family.name)")
            #expect(family.help.hasSuffix("."), "\(family.name)")
            #expect(family.bounds == family.bounds.sorted())
        }
        #expect(Set(MetricFamily.all).count == MetricFamily.all.count)
    }
}
