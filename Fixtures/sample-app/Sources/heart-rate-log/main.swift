// usage: heart-rate-log [COUNT]
import Foundation
import HeartRateLog

do {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
    try await logHeartRate(count: count) { print($0) }
} catch {
    print("heart-rate-log: \(error)")
    exit(1)
}
