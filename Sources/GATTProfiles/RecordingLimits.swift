/// How large a recording of notifications in a profile file can be: what the one who writes it, and the one who reads
/// it, go by.
package enum RecordingLimits {
    /// How many values.
    package static let maximumValues = 100_000
    /// How long after the last subscription one begins if a central has not subscribed to everything, in seconds.
    package static let startDelay = 1.0
    /// The latest time of a value, in seconds: a week.
    package static let longest = 604_800.0
    /// The size of the file in bytes, with everything else that is in it.
    package static let longestFile = 8 << 20
}
