/// How much of a worker's room an app may take: so many times what is free (Choudhury and Hahne, "Dynamic Queue
/// Length Thresholds for Shared-Memory Packet Switches", 1998). One busy app gets its whole share, several get
/// less each, and some is always left for one that comes new.
package struct AppShare {
    /// Of everything, in percent: what one app alone may take.
    let percent: Int

    package init(percent: Int) {
        self.percent = percent
    }

    package func allows(_ inFlight: Int, free: Int) -> Bool {
        percent >= 100 ? free > 0 : inFlight * (100 - percent) < free * percent
    }
}
