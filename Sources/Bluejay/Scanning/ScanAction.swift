/// What a scan does after a discovery.
public enum ScanAction {
    /// Go on.
    case `continue`
    /// Go on, and do not report this peripheral again during this scan.
    case blacklist
    /// End the scan.
    case stop
    /// End the scan, then connect: which peripheral, for how long at most, with which alerts, and who is told.
    case connect(ScanDiscovery, Timeout, WarningOptions, (ConnectionResult) -> Void)
}
