extension StatusFacts {
    /// nil: the database has said of every job whether it is the first of its name.
    var unclaimed: Finding? {
        let jobs = minute["jobs_unclaimed"]
        guard jobs > 0 else { return nil }
        return Finding(
            .database,
            "\(Phrase.count(jobs, "job")) put back in the last minute: PostgreSQL did not say in time whether "
                + "anybody has sent them.",
            todo: "Look at the server, and for who locks `martlet.claims`. The jobs come again by themselves.")
    }

    /// nil: what is in use can be opened again.
    var kept: Finding? {
        guard !keptBecause.isEmpty else { return nil }
        return Finding(
            .ours, "Credentials can't be opened any more: \(Phrase.list(keptBecause.sorted())).",
            todo: "Give this worker the master key that they are sealed under before it stops: "
                + "until then it uses what it has opened before.")
    }

    /// nil: every row of apps and credentials can be read.
    var unreadable: Finding? {
        guard !unreadableRows.isEmpty else { return nil }
        return Finding(
            .ours, "Rows can't be read: \(Phrase.list(unreadableRows)).",
            todo: "Mend that column: what was read before stays in use until this worker stops, else jobs wait.")
    }
}
