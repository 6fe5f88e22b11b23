import Foundations

/// A registry of metrics. Queues, event loops and threads obtain cells from it and count in these cells. A scrape reads
/// all values from it.
///
/// A series has one cell for each owner, and a scrape adds up the values of these cells. The lock is held only while a
/// cell is requested, a closure is registered, or a scrape copies the lists of both. Counting never takes the lock,
/// because owners keep their cells.
package final class MetricRegistry: Sendable {
    /// A closure that adds current values to a page during a scrape.
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

    /// Returns the cell of a series for an owner. The same owner always gets the same cell.
    ///
    /// - Parameters:
    ///   - labels: the values of the labels, in the order of the family.
    ///   - owner: the queue or event loop that writes, or `nil` for a single writer that lives as long as the process.
    package func cell(_ family: MetricFamily, _ labels: [String] = [], of owner: AnyObject? = nil) -> MetricCell {
        let series = Series(family: family, labels: labels, owner: owner.map(ObjectIdentifier.init))
        return state.withLock { state in
            if let cell = state.cells[series] { return cell }
            let cell = MetricCell()
            state.cells[series] = cell
            return cell
        }
    }

    /// Returns the histogram of a series for an owner. The same owner always gets the same histogram.
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

    /// Registers a closure that is called during each scrape, on the scraper's thread.
    ///
    /// - Parameter name: the name of the closure. A closure that is registered later under the same name replaces it.
    package func read(_ name: String, _ reader: @escaping Reader) { state.withLock { $0.readers[name] = reader } }

    /// Returns the current values of the cells and histograms of the given families. Registered closures are not
    /// called.
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

    /// Returns the current values of all cells and histograms, and the values that registered closures add.
    package func page() -> MetricPage {
        let now = state.withLock { $0 }
        var page = MetricPage()
        for (series, cell) in now.cells { page.add(series.family, series.labels, cell.value) }
        for (series, histogram) in now.histograms { page.add(series.family, series.labels, histogram.reading) }
        for (_, reader) in now.readers.sorted(by: { $0.key < $1.key }) { reader(&page) }
        return page
    }
}
