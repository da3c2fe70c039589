// Apple's framework makes all of Foundation and Dispatch visible to whoever imports it, and much code relies on that.
@_exported import Dispatch
@_exported import Foundation

/// A point in time in seconds since 2001-01-01 00:00:00 UTC, as in `Date.timeIntervalSinceReferenceDate`.
///
/// Apple declares the type in CoreFoundation, which does not exist for Swift on Linux.
public typealias CFAbsoluteTime = Double

/// A length of time in seconds: what lies between two of ``CFAbsoluteTime``.
public typealias CFTimeInterval = Double

/// The present time in seconds since 2001-01-01 00:00:00 UTC, to be compared with the time stamp of a disconnection.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
