/// The share of a worker's capacity that one app may use. It is a multiple of the free capacity (Choudhury and Hahne,
/// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998). A single busy app gets its whole share.
/// If several apps are busy, each gets less. Unless `percent` is 100 or more, the busy apps leave part of the capacity
/// free for another app.
package struct AppShare {
    /// The share of the total capacity that a single busy app may use, in percent.
    let percent: Int

    package init(percent: Int) {
        self.percent = percent
    }

    package func allows(_ inFlight: Int, free: Int) -> Bool {
        percent >= 100 ? free > 0 : inFlight * (100 - percent) < free * percent
    }
}
