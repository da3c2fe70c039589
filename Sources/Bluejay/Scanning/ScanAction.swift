/// What a scan does after a discovery.
public enum ScanAction {
    /// Continue.
    case `continue`
    /// Continue, and do not report this peripheral again during this scan.
    case blacklist
    /// End the scan.
    case stop
    /// End the scan, then connect: the peripheral, the timeout, the alerts on iOS, and the completion.
    case connect(ScanDiscovery, Timeout, WarningOptions, (ConnectionResult) -> Void)
}

extension ScanAction {
    /// Ends the scan, then connects without a timeout. The form of Bluejay 0.7.
    @available(*, deprecated, message: "Use connect with a timeout and warning options")
    public static func connect(
        _ discovery: ScanDiscovery, _ completion: @escaping (ConnectionResult) -> Void
    ) -> ScanAction {
        .connect(discovery, .none, .default, completion)
    }
}
