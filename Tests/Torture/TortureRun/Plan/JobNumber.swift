/// The numbering of jobs. Ordinary jobs are numbered from 0. Special jobs have ranges of much larger numbers.
package enum JobNumber {
    private static let place = 1 << 20

    package static func isOrdinary(_ number: Int) -> Bool { number < place }

    /// Returns the number of a job with thousands of recipients, which workers must split.
    package static func giant(_ index: Int) -> Int { place + index }
    package static func isGiant(_ number: Int) -> Bool { number / place == 1 }

    /// Returns the index of a staged job among the jobs with thousands of recipients. An ``Interlude`` publishes a
    /// staged job, and kills or disconnects all workers while one of them splits it. The job has the largest size and
    /// no id.
    package static func staged(_ index: Int) -> Int { place / 2 + index }
    package static func isStaged(_ number: Int) -> Bool { isGiant(number) && number % place >= place / 2 }

    /// Returns the number of a job in the flood that is published when a worker joins late.
    package static func flood(_ index: Int) -> Int { 2 * place + index }
    package static func isFlood(_ number: Int) -> Bool { number / place == 2 }

    /// Returns the number of a job in a campaign for a rate-limited app.
    package static func campaign(_ campaign: Int, _ index: Int) -> Int { 4 * place + 1_024 * campaign + index }
    package static func isOfCampaign(_ number: Int) -> Bool { number / place == 4 }
    /// Returns the number of the campaign that is published for a rate-limited app after all faults.
    package static func lastCampaign(_ index: Int) -> Int { 1_000 + index }
    /// Returns the number of the campaign to which a job belongs.
    static func campaign(of number: Int) -> Int { number % place / 1_024 }

    /// Returns the number of a job in the last round, which is published while no fault has effects.
    package static func lastRound(_ index: Int) -> Int { 5 * place + index }
    package static func isOfLastRound(_ number: Int) -> Bool { number / place == 5 }
    package static func indexInLastRound(_ number: Int) -> Int { number % place }

    /// Returns the number of a job that is published after another job, under the same id.
    package static func follower(of number: Int) -> Int { 3 * place + number }
    package static func isFollower(_ number: Int) -> Bool { number / place == 3 }
    package static func followed(_ number: Int) -> Int { number - 3 * place }
}
