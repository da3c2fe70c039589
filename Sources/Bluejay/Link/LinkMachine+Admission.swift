/// A kind of request of the program that the link may refuse.
enum LinkRequest {
    case scan
    case connection
    case disconnection(immediate: Bool)
    case characteristic
    case signalStrength
    case backgroundTask
}

/// What decides, apart from the link, whether a request may be queued now.
struct LinkCircumstances {
    var isStarted = true
    var isTaskRunning = false
    /// Whether a scan is queued or running. The same for connections and disconnections below.
    var isScanPending = false
    var isConnectionPending = false
    var isDisconnectionPending = false
}

// Which requests are refused.
extension LinkMachine {
    /// Why a request is refused; nil if it may be queued.
    func refusal(of request: LinkRequest, _ circumstances: LinkCircumstances) -> (any Error)? {
        switch request {
        case .scan: refusalOfScan(circumstances)
        case .connection: refusalOfConnection(circumstances)
        case .disconnection(let immediate): refusalOfDisconnection(immediate: immediate, circumstances)
        case .characteristic, .signalStrength: refusalOfAccess(request, circumstances)
        case .backgroundTask: refusalOfTask(circumstances)
        }
    }

    /// Why an operation that needs the connection cannot start now; nil if it can.
    var refusalOfStart: BluejayError? {
        if connection == nil { return .notConnected }
        return isDisconnecting ? .explicitDisconnect : nil
    }

    private func refusalOfScan(_ circumstances: LinkCircumstances) -> (any Error)? {
        guard circumstances.isStarted else { return BluejayNotStartedError() }
        if circumstances.isTaskRunning { return BluejayError.backgroundTaskRunning }
        if circumstances.isDisconnectionPending { return BluejayError.disconnectQueued }
        return circumstances.isScanPending ? BluejayError.multipleScanNotSupported : nil
    }

    private func refusalOfConnection(_ circumstances: LinkCircumstances) -> (any Error)? {
        guard circumstances.isStarted else { return BluejayNotStartedError() }
        if circumstances.isTaskRunning { return BluejayError.backgroundTaskRunning }
        if circumstances.isDisconnectionPending { return BluejayError.disconnectQueued }
        let isFree = isAbsent && !circumstances.isConnectionPending
        return isFree ? nil : BluejayError.multipleConnectNotSupported
    }

    private func refusalOfDisconnection(
        immediate: Bool, _ circumstances: LinkCircumstances
    ) -> (any Error)? {
        if circumstances.isTaskRunning { return BluejayError.backgroundTaskRunning }
        // An immediate disconnect replaces one that waits in the queue.
        if isDisconnecting || (!immediate && circumstances.isDisconnectionPending) {
            return BluejayError.multipleDisconnectNotSupported
        }
        return isAbsent ? notConnectedError(circumstances) : nil
    }

    private func refusalOfAccess(_ request: LinkRequest, _ circumstances: LinkCircumstances) -> (any Error)? {
        if circumstances.isTaskRunning { return BluejayError.backgroundTaskRunning }
        if connection == nil { return notConnectedError(circumstances) }
        // Reading the signal strength is not queued, so a queued disconnect does not matter.
        if case .signalStrength = request { return nil }
        return circumstances.isDisconnectionPending ? BluejayError.disconnectQueued : nil
    }

    private func refusalOfTask(_ circumstances: LinkCircumstances) -> (any Error)? {
        if circumstances.isTaskRunning { return BluejayError.multipleBackgroundTaskNotSupported }
        if circumstances.isDisconnectionPending { return BluejayError.disconnectQueued }
        return connection == nil || isDisconnecting ? notConnectedError(circumstances) : nil
    }

    /// Why there is no connection.
    private func notConnectedError(_ circumstances: LinkCircumstances) -> any Error {
        circumstances.isStarted ? BluejayError.notConnected : BluejayNotStartedError()
    }
}
