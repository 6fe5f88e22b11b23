/// The numbering of jobs. Ordinary jobs are counted from 0, and special jobs have ranges of much larger numbers.
package enum JobNumber {
    private static let place = 1 << 20

    /// Returns the number of a job of thousands, which is published to be split.
    package static func giant(_ index: Int) -> Int { place + index }
    package static func isGiant(_ number: Int) -> Bool { number / place == 1 }

    /// Returns the index of a job of thousands for which workers are killed while no other fault occurs. It has the
    /// largest size and no ID.
    package static func staged(_ index: Int) -> Int { place / 2 + index }
    package static func isStaged(_ number: Int) -> Bool { isGiant(number) && number % place >= place / 2 }

    /// Returns the number of a job that is part of a flood.
    package static func flood(_ index: Int) -> Int { 2 * place + index }
    package static func isFlood(_ number: Int) -> Bool { number / place == 2 }

    /// Returns the number of a job that is part of a campaign of a rate-limited app.
    package static func campaign(_ campaign: Int, _ index: Int) -> Int { 4 * place + 1_024 * campaign + index }
    package static func isOfCampaign(_ number: Int) -> Bool { number / place == 4 }
    /// Returns the number of the campaign that is published for a rate-limited app after all faults.
    package static func lastCampaign(_ index: Int) -> Int { 1_000 + index }
    /// Returns the campaign that a job belongs to.
    static func campaign(of number: Int) -> Int { number % place / 1_024 }

    /// Returns the number of a job that is published after another job and has its ID.
    package static func follower(of number: Int) -> Int { 3 * place + number }
    package static func isFollower(_ number: Int) -> Bool { number / place == 3 }
    package static func followed(_ number: Int) -> Int { number - 3 * place }
}
