extension MetricPage {
    /// Returns the page as text.
    ///
    /// - Parameter families: the families to write, in this order. Families without series are written, too.
    package func text(_ format: MetricFormat, _ families: [MetricFamily] = MetricFamily.all) -> String {
        var text = ""
        for family in families {
            let name = family.name(in: format)
            text += "# HELP \(name) \(format.escaped(help: family.help))\n# TYPE \(name) \(family.type(in: format))\n"
            for (labels, value) in sorted(family) {
                let pairs = zip(labels.names, labels.values).map { "\($0)=\"\(Self.escaped($1))\"" }
                switch value {
                case .number(let number):
                    text += Self.line(family.name, pairs, family.shown(number))
                case .histogram(let reading): text += Self.lines(family, pairs, reading)
                }
            }
        }
        if format == .openMetrics { text += "# EOF\n" }
        return text
    }

    private static func line(_ name: String, _ pairs: [String], _ value: String) -> String {
        pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    private static func lines(_ family: MetricFamily, _ pairs: [String], _ reading: MetricHistogram.Reading) -> String {
        var text = ""
        var count = 0
        for (place, inBucket) in reading.counts.enumerated() {
            count += inBucket
            // The bound has the same text in both formats, so that a series keeps its identity when the format changes.
            let bound =
                place < family.bounds.count ? "\(Double(family.bounds[place]) / Double(family.scale))" : "+Inf"
            text += line(family.name + "_bucket", pairs + ["le=\"\(bound)\""], "\(count)")
        }
        text += line(family.name + "_sum", pairs, family.shown(reading.sum))
        return text + line(family.name + "_count", pairs, "\(count)")
    }

    /// Returns a label value with its special characters escaped.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension MetricFormat {
    fileprivate func escaped(help: String) -> String {
        let text = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return self == .openMetrics ? text.replacing("\"", with: "\\\"") : text
    }
}

extension MetricFamily {
    /// Returns the name of the family in a format. OpenMetrics names omit the suffixes `_total` and `_info`.
    fileprivate func name(in format: MetricFormat) -> String {
        guard format == .openMetrics else { return name }
        switch kind {
        case .counter where name.hasSuffix("_total"): return String(name.dropLast("_total".count))
        case .info where name.hasSuffix("_info"): return String(name.dropLast("_info".count))
        default: return name
        }
    }

    fileprivate func type(in format: MetricFormat) -> String {
        switch kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .info: format == .openMetrics ? "info" : "gauge"
        case .histogram: "histogram"
        }
    }

    fileprivate func shown(_ number: Int) -> String {
        number.isMultiple(of: scale) ? "\(number / scale)" : "\(Double(number) / Double(scale))"
    }
}
