// The points in which Bluejay 0.8.9 for iOS departs from what it promises, and the tests that prove that this library
// keeps the promise. PromiseIndex.swift has the others. Nothing here runs: the compiler checks that each test exists.

private func point(_ number: Int, _ text: String, provedBy tests: Any...) {}

private func points() {
    point(
        1, "safe answers before the start",
        provedBy: LifecycleTests.`before the start everything has a safe answer`,
        LifecycleTests.`before the start, what needs a connection says that it is not started`,
        ScanTests.`a scan before the start is refused`,
        ConnectTests.`connecting needs Bluetooth`,
        LifecycleTests.`an unstarted instance goes without a trace`)
    point(
        2, "deallocation with a full queue",
        provedBy: LifecycleTests.`when the last reference goes, everything fails and the link is ended`,
        LifecycleTests.`when the last reference goes, a pending attempt is given up`,
        LifecycleTests.`the last reference may go on any thread`)
    point(
        3, "broadcast at every kind of end",
        provedBy: ListenTests.`with the broadcast, listeners hear once why it ended`,
        ListenTests.`the broadcast reports requested disconnects and Bluetooth off`)
    point(
        4, "a second start is ignored",
        provedBy: LifecycleTests.`a second start is logged and ignored`)
    point(
        5, "an adopted manager is taken over completely",
        provedBy: LifecycleTests.`an adopted manager is taken over with its connected peripheral`)
    point(
        6, "hashes of peripheral identifiers",
        provedBy: ValueTests.`peripherals are compared and hashed by their UUID only`)
    point(
        7, "one call for a discovery",
        provedBy: ScanTests.`a discovery carries name, advertisement and signal strength, and is called once`,
        ScanTests.`repeats are reported when the signal has changed enough since the last accepted one`)
    point(
        8, "a connection from a discovery that fails",
        provedBy: ScanTests.`a connection from a discovery reports its timeout`,
        ScanTests.`a connection from a discovery reports its cancellation`)
    point(
        9, "a scan inside stopped",
        provedBy: ScanTests.`scanning again in stopped works`)
    point(
        10, "stop from expired",
        provedBy: ScanTests.`stop from expired ends the scan, other answers have no effect`)
    point(
        11, "a second scan",
        provedBy: ScanTests.`a second scan is refused and does not disturb the first`)
    point(
        12, "isDisconnecting during a queued disconnect",
        provedBy: DisconnectTests.`a queued disconnect waits for the work before it`)
    point(
        13, "a timeout is not an unexpected disconnect",
        provedBy: ConnectTests.`a timeout is not an unexpected disconnect: nobody connects again`,
        DisconnectTests.`connecting again uses the last timeout, even of a refused call`)
    point(
        14, "a failed attempt reports once",
        provedBy: ConnectTests.`a failed attempt is reported once, and repeated`)
    point(
        15, "a refused second connect",
        provedBy: ConnectTests.`a refused second connect does not take the first one's completion`)
    point(
        16, "work before a queued disconnect, discovery included",
        provedBy: DisconnectTests.`work queued before a disconnect is done, even if it has to discover first`)
    point(
        17, "reading what is listened to",
        provedBy: CharacteristicTests.`a characteristic that is listened to cannot be read`)
    point(
        18, "a failed replacement",
        provedBy: ListenTests.`a failed replacement leaves the old listen`)
    point(
        19, "a listen ended before its installation",
        provedBy: ListenTests.`a listen ended before it is confirmed stays ended`)
    point(
        20, "whose answer it is",
        provedBy: CharacteristicTests.`another characteristic's value is not taken for the answer to a read`,
        CharacteristicTests.`answers are matched by service, too`,
        CharacteristicTests.`the answer to a cancelled request is not taken for a later one's`)
    point(
        21, "a blocking listen and a disconnect",
        provedBy: BlockingListenTests.`an unexpected disconnect ends a waiting listen`)
    point(
        22, "clean-up after a task",
        provedBy: BackgroundTaskTests.`clean-up takes place whatever the task makes of the disconnect`)
    point(
        23, "a refused blocking listen",
        provedBy: BlockingListenTests.`an existing listen refuses a blocking one, and goes on`)
    point(
        24, "fractions of seconds",
        provedBy: BlockingListenTests.`the timeout is for the whole call and counts fractions`)
    point(
        25, "the completion of a blocking endListen",
        provedBy: BlockingListenTests.`ending a listen waits for the peripheral, and calls the completion`,
        BlockingListenTests.`ending a listen after the connection has ended calls the completion, too`)
    point(
        26, "a flush needs a whole silent window",
        provedBy: BlockingListenTests.`a flush goes on until a whole window was silent`)
    point(
        27, "a failed write ends the listen",
        provedBy: BlockingListenTests.`a failed write ends the listen`)
    point(
        28, "listening on after an assembly",
        provedBy: BlockingListenTests.`an answer in pieces is put together, again if so wanted`)
    point(
        29, "extract cannot be led outside of the data",
        provedBy: SerializationTests.`extract counts from the beginning of a slice`,
        SerializationTests.`extract beyond the data is an error with the real numbers`,
        SerializationTests.`extract of a type larger than the length is an error`)
    point(
        30, "the warning about services",
        provedBy: ScanTests.`a scan for everything is warned about`)
    point(
        31, "log text is literal",
        provedBy: ObserverTests.`the log goes to observers, literally, from the first message on`)
    point(
        32, "state belongs to the main queue",
        provedBy: BackgroundTaskTests.`while a task runs, everything else is refused`,
        LifecycleTests.`everything may be cancelled from any thread`,
        LifecycleTests.`state can be read from any thread`)
    point(
        33, "a pending disconnect and Bluetooth off",
        provedBy: DisconnectTests.`a pending disconnect fails when Bluetooth is switched off`,
        LifecycleTests.`stopping completes a pending disconnect`)
    point(
        34, "no confirmation from the system",
        provedBy: ConnectTests.`an attempt given up ends even if the system never confirms`,
        DisconnectTests.`a disconnect ends even if the system never confirms`)
}
