import Threading

/// Where queues, event loops and threads get the cells they count in, and where all of it is read.
///
/// A series has a cell for each owner; a scrape adds them up. The lock is taken when somebody is set up and when somebody
/// reads, never on the way of a push: who counts keeps the cells it was given.
package final class MetricRegistry: Sendable {
    /// Adds what somebody knows at the time of a scrape.
    package typealias Reader = @Sendable (inout MetricPage) -> Void

    private struct Series: Hashable {
        let family: MetricFamily
        let labels: [String]
        let owner: ObjectIdentifier?
    }

    private struct State {
        var cells: [Series: MetricCell] = [:]
        var histograms: [Series: MetricHistogram] = [:]
        var readers: [String: Reader] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The cell of a series that this owner writes: the same for the same owner.
    ///
    /// - Parameters:
    ///   - labels: the values, in the family's order.
    ///   - owner: the queue or event loop that writes; nil: there is one writer for as long as the process lives.
    package func cell(_ family: MetricFamily, _ labels: [String] = [], of owner: AnyObject? = nil) -> MetricCell {
        let series = Series(family: family, labels: labels, owner: owner.map(ObjectIdentifier.init))
        return state.withLock { state in
            if let cell = state.cells[series] { return cell }
            let cell = MetricCell()
            state.cells[series] = cell
            return cell
        }
    }

    /// The same for a histogram.
    package func histogram(
        _ family: MetricFamily, _ labels: [String] = [], of owner: AnyObject? = nil
    ) -> MetricHistogram {
        let series = Series(family: family, labels: labels, owner: owner.map(ObjectIdentifier.init))
        return state.withLock { state in
            if let histogram = state.histograms[series] { return histogram }
            let histogram = MetricHistogram(bounds: family.bounds)
            state.histograms[series] = histogram
            return histogram
        }
    }

    /// Has somebody asked at each scrape, on the scraper's thread.
    ///
    /// - Parameter name: takes the place of whoever has read under the same name.
    package func read(_ name: String, _ reader: @escaping Reader) { state.withLock { $0.readers[name] = reader } }

    /// What cells and histograms say of these families now.
    package func page(of families: [MetricFamily]) -> MetricPage {
        let now = state.withLock { $0 }
        var page = MetricPage()
        for (series, cell) in now.cells where families.contains(series.family) {
            page.add(series.family, series.labels, cell.value)
        }
        for (series, histogram) in now.histograms where families.contains(series.family) {
            page.add(series.family, series.labels, histogram.reading)
        }
        return page
    }

    /// All that is known now.
    package func page() -> MetricPage {
        let now = state.withLock { $0 }
        var page = MetricPage()
        for (series, cell) in now.cells { page.add(series.family, series.labels, cell.value) }
        for (series, histogram) in now.histograms { page.add(series.family, series.labels, histogram.reading) }
        for (_, reader) in now.readers.sorted(by: { $0.key < $1.key }) { reader(&page) }
        return page
    }
}
