// Apple's framework makes all of Foundation and Dispatch visible to whoever imports it, and much code relies on that.
@_exported import Dispatch
@_exported import Foundation

/// A point in time in seconds since 2001-01-01 00:00:00 UTC, as in `Date.timeIntervalSinceReferenceDate`.
///
/// Apple declares the type in CoreFoundation, which does not exist for Swift on Linux.
public typealias CFAbsoluteTime = Double
