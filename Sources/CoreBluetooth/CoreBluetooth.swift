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

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// A dispatch queue, as it is called in code that was written for Objective-C's names.
public typealias dispatch_queue_t = DispatchQueue

// Apple's Dispatch has these; Swift on Linux leaves macros with a type out.

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
/// Milliseconds in a second.
public let MSEC_PER_SEC: UInt64 = 1_000
