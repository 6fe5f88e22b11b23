/// A small chart of values over the intervals of an hour, drawn as SVG without a script. Its plots are stacked and
/// share one time axis.
///
/// Lines of one plot differ in colour and in dash pattern. Each line has its name and its latest value as text.
struct Chart {
    /// A line of a plot.
    struct Line {
        /// The class of the line in the style sheet.
        let kind: String
        /// The value of each interval, or `nil` for a gap in the line.
        let values: [Double?]
        /// Whether the area below the line is filled.
        var isFilled = false
    }

    /// A label above a plot, optionally with a sample of the line that it names.
    struct Key {
        let kind: String
        let text: String
        var note = ""
    }

    struct Plot {
        let left: Key
        /// The second key. If its kind is not empty, it begins in the middle and names a second line. Otherwise, it
        /// shows the latest value at the right edge.
        let right: Key
        let scale: ChartScale
        let height: Int
        let lines: [Line]
    }

    private static let width = 360
    private static let keyHeight = 17
    private static let gap = 7
    private static let axisHeight = 17

    let id: String
    let title: String
    /// The latest values and the peaks in words, for readers who do not see the chart.
    let summary: String
    let axis: ChartAxis
    let plots: [Plot]
    /// A text with the values of each interval, or `nil` for an interval without values.
    let words: [String?]

    func render() -> HTML {
        var (parts, y): ([HTML], Int) = ([], 0)
        parts.append(.element("title", ["id": "\(id)-title"], HTML(title)))
        parts.append(.element("desc", ["id": "\(id)-summary"], HTML(summary)))
        let height = plots.reduce(-Self.gap) { $0 + Self.keyHeight + $1.height + Self.gap }
        if let place = axis.completeFrom {
            parts.append(Self.path("early", "M0 0H\(axis.x(place).text)V\(height)H0z"))
        }
        for plot in plots {
            parts += keys(of: plot, y: y)
            parts += curves(of: plot, top: y + Self.keyHeight)
            y += Self.keyHeight + plot.height + Self.gap
        }
        parts += times(y: height)
        parts.append(.element("g", ["class": "slots"], HTML(slots(height: height))))
        return .element(
            "svg",
            [
                "viewBox": "0 0 \(Self.width) \(height + Self.axisHeight)", "role": "img",
                "aria-labelledby": "\(id)-title \(id)-summary",
            ], HTML(parts))
    }

    // MARK: Texts

    private func keys(of plot: Plot, y: Int) -> [HTML] {
        let baseline = y + 12
        var (parts, left): ([HTML], Int) = ([], 0)
        if !plot.left.kind.isEmpty {
            parts.append(Self.path("line \(plot.left.kind)", "M0 \(baseline - 4)h18"))
            left = 24
        }
        parts.append(
            .element(
                "text", ["class": "key", "x": "\(left)", "y": "\(baseline)"],
                [
                    HTML(plot.left.text),
                    plot.left.note.isEmpty
                        ? [] : .element("tspan", ["class": "peak", "dx": "8"], HTML(plot.left.note)),
                ]))
        let right = plot.right
        guard !right.kind.isEmpty else {
            return parts + [
                .element(
                    "text", ["class": "key latest", "x": "\(Self.width)", "y": "\(baseline)"], HTML(right.text))
            ]
        }
        let middle = Self.width / 2
        return parts + [
            Self.path("line \(right.kind)", "M\(middle) \(baseline - 4)h18"),
            .element("text", ["class": "key", "x": "\(middle + 24)", "y": "\(baseline)"], HTML(right.text)),
        ]
    }

    private func times(y: Int) -> [HTML] {
        [(0, "start"), (axis.slots / 2, "middle"), (axis.slots, "end")].map { place, anchor in
            .element(
                "text",
                [
                    "class": "time \(anchor)", "x": "\(place * Self.width / max(1, axis.slots))", "y": "\(y + 13)",
                ], HTML(axis.clock(place) + (place == axis.slots ? " UTC" : "")))
        }
    }

    // MARK: Shapes

    private func curves(of plot: Plot, top: Int) -> [HTML] {
        let bottom = top + plot.height
        let ticks = plot.scale.ticks.map { tick in
            (text: tick.text, y: Self.y(plot.scale.share(of: tick.value), top: top, height: plot.height))
        }
        var parts = ticks.map { Self.path("tick", "M0 \($0.y.text)H\(Self.width)") }
        parts.append(Self.path("base", "M0 \(bottom)H\(Self.width)"))
        for line in plot.lines {
            let runs = runs(of: line.values, scale: plot.scale, top: top, height: plot.height)
            guard !runs.isEmpty else { continue }
            if line.isFilled {
                let areas = runs.filter { $0.count > 1 }.map { run in
                    "M\(run[0].x.text) \(bottom)L\(Self.points(run))L\(run[run.count - 1].x.text) \(bottom)Z"
                }
                if !areas.isEmpty { parts.append(Self.path("area \(line.kind)", areas.joined())) }
            }
            // A line of length zero with round caps is drawn as a dot.
            let strokes = runs.map { "M\(Self.points($0))" + ($0.count == 1 ? "h0" : "") }
            parts.append(Self.path("line \(line.kind)", strokes.joined()))
        }
        // The texts are drawn last, so that their border in the background colour covers the lines.
        return parts
            + ticks.map { .element("text", ["class": "scale", "x": "0", "y": ($0.y - 30).text], HTML($0.text)) }
    }

    /// Returns the parts of a line between its gaps, each as a list of points.
    private func runs(of values: [Double?], scale: ChartScale, top: Int, height: Int) -> [[(x: Tenths, y: Tenths)]] {
        var (runs, run): ([[(x: Tenths, y: Tenths)]], [(x: Tenths, y: Tenths)]) = ([], [])
        for (place, value) in values.prefix(axis.slots).enumerated() {
            if let value {
                run.append((axis.x(axis.middle(of: place)), Self.y(scale.share(of: value), top: top, height: height)))
            } else if !run.isEmpty {
                runs.append(run)
                run = []
            }
        }
        return run.isEmpty ? runs : runs + [run]
    }

    /// Returns invisible areas, one for each interval, that show the values of the interval when the pointer is on
    /// them.
    private func slots(height: Int) -> [HTML] {
        words.prefix(axis.slots).enumerated().compactMap { place, words in
            guard let words else { return nil }
            let x = axis.x(Double(place))
            let width = (axis.x(Double(place + 1)) - x).text
            return .element(
                "path", ["d": "M\(x.text) 0h\(width)v\(height)h-\(width)z"],
                .element("title", HTML("\(axis.clock(place)) UTC: \(words)")))
        }
    }

    private static func path(_ kind: String, _ data: String) -> HTML {
        .element("path", ["class": kind, "d": data], [])
    }

    private static func points(_ run: [(x: Tenths, y: Tenths)]) -> String {
        run.map { "\($0.x.text) \($0.y.text)" }.joined(separator: "L")
    }

    private static func y(_ share: Double, top: Int, height: Int) -> Tenths {
        Tenths((Double(top) + (1 - share) * Double(height)) * 10)
    }
}

/// A length in tenths of a unit. It is an integer so that a path never contains `nan` or an exponent.
struct Tenths: Hashable, ExpressibleByIntegerLiteral {
    private let count: Int

    init(_ tenths: Double) { count = tenths.isFinite ? Int(min(max(tenths, -1e6), 1e6).rounded()) : 0 }

    init(integerLiteral value: Int) { count = value }

    var text: String {
        let (whole, part) = (count.magnitude / 10, count.magnitude % 10)
        return (count < 0 ? "-" : "") + (part == 0 ? "\(whole)" : "\(whole).\(part)")
    }

    static func - (left: Self, right: Self) -> Self { Tenths(Double(left.count - right.count)) }
}
