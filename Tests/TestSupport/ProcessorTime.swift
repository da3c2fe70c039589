import Foundation

/// How long this thread's processor worked on something: unlike the time on the clock, other programs do not make it
/// longer.
package func processorTime(of work: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try work()
    return now() - start
}
