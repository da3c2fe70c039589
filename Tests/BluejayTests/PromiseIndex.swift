// Which tests prove what Bluejay promises. Nothing here runs: the compiler checks that each test exists, and a test
// that is renamed is renamed here, too.

private func promise(_ text: String, provedBy tests: Any...) {}

private func instance() {
    promise(
        "an instance does nothing before its start, and identifies itself in the log",
        provedBy: LifecycleTests.`two instances have different identities`,
        ObserverTests.`the log goes to observers, literally, from the first message on`)
    promise(
        "start creates a manager, or adopts one with its peripheral",
        provedBy: LifecycleTests.`starting creates a manager of its own`,
        LifecycleTests.`an adopted manager is taken over with its connected peripheral`,
        LifecycleTests.`a peripheral that is not connected is not adopted`)
    promise(
        "stopping hands the state over without disconnecting, and it can be taken back",
        provedBy: LifecycleTests.`stopping hands everything over without disconnecting`,
        LifecycleTests.`after a stop, a start takes the state back and the queue runs`)
    promise(
        "cancelEverything fails the scan, then the queue from front to back, and disconnects if so wanted",
        provedBy: LifecycleTests.`cancelling fails the scan first, then the queue from front to back`,
        LifecycleTests.`cancelling disconnects, as expected`,
        LifecycleTests.`what completions queue while everything is cancelled stays`)
    promise(
        "the state of Bluetooth; not known yet is not off",
        provedBy: LifecycleTests.`a state that is not known yet is imminent`,
        LifecycleTests.`operations wait for Bluetooth the first time only`)
    promise(
        "when Bluetooth is lost everything fails, nobody reconnects, observers hear of it",
        provedBy: LifecycleTests.`whenever Bluetooth is lost, everything fails and nobody reconnects`)
    promise(
        "the state of the connection",
        provedBy: ConnectTests.`a connection that waits in the queue is not connecting`,
        ConnectTests.`the completion comes first, then what is queued, then the observers`,
        DisconnectTests.`an immediate disconnect fails everything`,
        LifecycleTests.`state can be read from any thread`)
    promise(
        "everything ends with the last reference",
        provedBy: LifecycleTests.`when the last reference goes, everything fails and the link is ended`,
        LifecycleTests.`nothing keeps an instance alive`)
    promise(
        "ten thousand mixed operations complete once, in order and in flat memory",
        provedBy: MixedEnduranceTests
            .`ten thousand mixed operations complete once and in order, in memory that stays flat`,
        QueueEnduranceTests.`every completion is called exactly once, and work is done in order`)
}

private func observers() {
    promise(
        "connection observers are weak, get the state at once, are called in order, and need no method",
        provedBy: ObserverTests.`a connection observer gets the state when it is registered`,
        ObserverTests.`observers are called in the order of registration, each once`,
        ObserverTests.`observers are not kept alive`,
        ObserverTests.`methods of observers are optional`)
    promise(
        "signal strengths go to their observers, outside of the queue",
        provedBy: CharacteristicTests.`signal strengths go to the observers`)
    promise(
        "changes of services go to their observers, with an empty list for additions",
        provedBy: CharacteristicTests.`changes of services go to the observers`)
    promise(
        "the log goes to its observers, or to standard error",
        provedBy: ObserverTests.`the log goes to observers, literally, from the first message on`,
        ObserverTests.`details are not even put together without an observer`)
}

private func values() {
    promise(
        "services and characteristics are named by UUID, the latter within its service",
        provedBy: ValueTests.`a characteristic in two services has two identifiers`,
        ValueTests.`an identifier matches the discovered characteristic of its service`,
        ValueTests.`a characteristic whose service was removed has no identifier`)
    promise(
        "peripherals are named by UUID, with a name for people",
        provedBy: ValueTests.`peripherals are compared and hashed by their UUID only`)
    promise(
        "timeouts count from the start of the attempt, in fractions of seconds",
        provedBy: ConnectTests.`a timeout cancels the attempt and is reported when that is confirmed`)
    promise(
        "warning options are accepted and become connect options",
        provedBy: ValueTests.`warning options become CoreBluetooth's connect options`)
    promise(
        "results are a success or a failure",
        provedBy: BackgroundTaskTests.`a task runs elsewhere, and its result comes on the main queue`,
        CharacteristicTests.`CoreBluetooth's errors pass through`)
    promise(
        "integers, data and text travel as their bytes",
        provedBy: SerializationTests.`integers travel with the least significant byte first, as wide as their type`,
        SerializationTests.`integers are decoded from exactly their bytes`,
        SerializationTests
            .`an integer from bytes at hand: longer input is cut off, shorter input is extended with zeros`,
        SerializationTests.`an integer that is received with too few bytes is an error that names the numbers`,
        SerializationTests.`data and strings are their bytes`,
        SerializationTests.`bytes that are not UTF-8 do not end the program`)
    promise(
        "packets are combined and taken apart",
        provedBy: SerializationTests.`combine concatenates in order, nested values too`,
        SerializationTests.`padding is zero bytes`,
        SerializationTests.`extract reads a value anywhere in the data`)
    promise(
        "CoreBluetooth's objects are looked up and named",
        provedBy: ValueTests.`attributes are looked up among the discovered ones`,
        ValueTests.`states have names`)
    promise(
        "the names of version 0.7 still work",
        provedBy: FormerNameTests.`a start with an observer and a handler registers both`,
        FormerNameTests.`a listen is restored by listening`,
        FormerNameTests.`a peripheral is named by its UUID`)
}

private func errors() {
    promise(
        "each error has its number, domain and text",
        provedBy: ErrorTests.`codes are 1 to 29 in the order of the table`,
        ErrorTests.`the domain is Bluejay`,
        ErrorTests.`every error says something different, and the same everywhere`,
        ErrorTests.`descriptions name what the error is about`,
        ErrorTests.`errors can be compared as NSErrors`,
        ErrorTests.`not being started is an error of the same domain, with a number and a sentence of its own`)
    promise(
        "Bluetooth is not available",
        provedBy: ConnectTests.`connecting needs Bluetooth`,
        ScanTests.`a scan ends with an error when Bluetooth goes off, and is refused while it is off`)
    promise(
        "one scan, connection, disconnection and task at a time",
        provedBy: ScanTests.`a second scan is refused and does not disturb the first`,
        ConnectTests.`connecting while connecting or connected is refused and disturbs nothing`,
        DisconnectTests.`nothing can be queued behind a queued disconnect`,
        BackgroundTaskTests.`while a task runs, everything else is refused`)
    promise(
        "the ways in which a connection is missed",
        provedBy: CharacteristicTests.`calls need a connection`,
        ConnectTests.`a failed attempt is reported once, and repeated`,
        ConnectTests.`an unknown peripheral is refused at once`)
    promise(
        "what the peripheral does not have",
        provedBy: CharacteristicTests.`what the peripheral does not have is missing`,
        CharacteristicTests.`a characteristic is found in the second of two services with the same UUID`)
    promise(
        "what work is lost to",
        provedBy: LifecycleTests.`cancelling disconnects, as expected`,
        LifecycleTests.`stopping hands everything over without disconnecting`)
    promise(
        "errors of listening and receiving",
        provedBy: BlockingListenTests.`an answer that does not come in time`,
        ListenTests.`every value is delivered, the installation is not`,
        BlockingListenTests.`a flush that might never end ends the program`)
    promise(
        "errors of reading",
        provedBy: CharacteristicTests.`a characteristic that is listened to cannot be read`,
        SerializationTests.`extract beyond the data is an error with the real numbers`)
    promise(
        "work that was queued before a restoration",
        provedBy: RestorationTests.`what was queued before fails, without disconnecting`)
}

private func scanning() {
    promise(
        "a scan asks for services, several or all, with or without duplicates",
        provedBy: ScanTests.`the central is asked for the services, with or without duplicates`)
    promise(
        "duration",
        provedBy: ScanTests.`a scan ends after its duration, counted from its start`)
    promise(
        "a discovery reports what is advertised",
        provedBy: ScanTests.`a discovery carries name, advertisement and signal strength, and is called once`)
    promise(
        "repeats are throttled by signal strength",
        provedBy: ScanTests.`repeats are reported when the signal has changed enough since the last accepted one`,
        ScanTests.`a delta of zero reports everything`)
    promise(
        "what a discovery is answered with",
        provedBy: ScanTests.`a blacklisted peripheral is silent for the rest of this scan only`,
        ScanTests.`stop from a discovery ends the scan`,
        ScanTests.`connect from a discovery ends the scan, then connects`,
        ScanTests.`a connection from a discovery of an unknown peripheral is refused`)
    promise(
        "peripherals expire after 15 seconds",
        provedBy: ScanTests.`a peripheral that is not seen for 15 seconds expires`,
        ScanTests.`peripherals expire without a closure, and not at all without duplicates`,
        ScanTests.`a connection to a peripheral that has expired is refused with an error`)
    promise(
        "a scan is stopped, queued or running",
        provedBy: ScanTests.`a queued scan can be stopped and is never started`,
        ScanTests.`stopScanning without a scan is logged`,
        ScanTests.`a connection request ends the scan as intended`,
        ScanTests.`a refused connection request leaves the scan alone`,
        ScanTests.`an unexpected disconnect ends a scan with an error`,
        ScanTests.`a scan is refused while a disconnect is queued`)
}

private func connections() {
    promise(
        "a connection has one outcome",
        provedBy: ConnectTests.`what waits behind an attempt fails with its timeout, what comes later does not`,
        ConnectTests.`a connection that comes up while it is being given up is ignored`,
        ConnectTests.`a timeout has no effect after the connection`,
        ConnectTests.`events of peripherals that are not in use are ignored`,
        ConnectTests.`connecting is refused while a disconnect is queued`)
    promise(
        "an attempt can be cancelled",
        provedBy: ConnectTests.`cancelling gives up the attempt; what waits behind fails after it`,
        ConnectTests.`Bluetooth off ends an attempt at once`)
    promise(
        "a disconnect waits for its turn or takes place at once",
        provedBy: DisconnectTests.`order at an expected disconnect`,
        DisconnectTests.`a disconnect behind an attempt follows it`,
        DisconnectTests.`a disconnect behind an attempt fails with it`,
        DisconnectTests.`an immediate disconnect gives up an attempt`,
        DisconnectTests.`there must be something to disconnect`,
        DisconnectTests.`calls in the completion of a disconnect work`,
        DisconnectTests.`what is queued after an immediate disconnect`)
    promise(
        "an unexpected disconnect fails what is queued and is followed by a connection",
        provedBy: DisconnectTests
            .`an unexpected disconnect fails what is queued, reaches everybody, and connects again`,
        DisconnectTests.`a failed connection is repeated until it succeeds`,
        DisconnectTests.`an own connection in an observer takes the place of the automatic one`)
    promise(
        "the disconnect handler decides about connecting again",
        provedBy: DisconnectTests.`the handler decides about connecting again`,
        DisconnectTests.`an unregistered or dead handler is not asked`)
}

private func characteristics() {
    promise(
        "one operation at a time, in order, after discovery",
        provedBy: CharacteristicTests.`service and characteristic are discovered once, then used`,
        CharacteristicTests.`one operation at a time, in the order of the calls`,
        CharacteristicTests.`errors of discovery reach what needs it`,
        CharacteristicTests.`a removed service is discovered again when it is used`)
    promise(
        "reads are decoded",
        provedBy: CharacteristicTests.`values are decoded, and what decoding throws is reported`)
    promise(
        "writes of both types",
        provedBy: CharacteristicTests.`a value is turned into bytes when the write starts`,
        CharacteristicTests.`a write without response is done when it is handed over`,
        CharacteristicTests.`a write without response waits for room`)
    promise(
        "listens are trapped or replaced",
        provedBy: ListenTests.`a trapping listen refuses another, whether installed or not`,
        ListenTests.`a replaceable listen gets a report when another has taken over`,
        ListenTests.`several listens on their way are installed in order`,
        ListenTests.`a value that cannot be decoded is an error, and the listen goes on`,
        ValueTests.`raw values of the listen options`)
    promise(
        "the end of a listen",
        provedBy: ListenTests.`the end of a listen silences it at once, and is confirmed later`,
        ListenTests.`the end of a listen that is not there clears the subscription all the same`,
        ListenTests.`listen, end and listen again end in listening`,
        ListenTests.`a listen may be ended from its own value`)
    promise(
        "errors are broadcast to listeners if so wanted",
        provedBy: ListenTests.`without the broadcast, listeners hear nothing of the end`,
        ListenTests.`with the broadcast, listeners hear once why it ended`,
        ListenTests.`a disconnect that Bluetooth going off cuts short is broadcast once`)
}

private func tasks() {
    promise(
        "a task runs elsewhere, in three forms",
        provedBy: BackgroundTaskTests.`a task runs elsewhere, and its result comes on the main queue`,
        BackgroundTaskTests.`a task is refused without a connection, at once`,
        BackgroundTaskTests.`the ordinary calls work in the completion`,
        BackgroundTaskTests.`a blocking call on the main queue ends the program`,
        BackgroundTaskTests.`an ordinary call outside the main queue ends the program`)
    promise(
        "blocking reads and writes",
        provedBy: BackgroundTaskTests.`blocking reads and writes`,
        BackgroundTaskTests.`errors are thrown`,
        BackgroundTaskTests.`the longest write`)
    promise(
        "blocking listens",
        provedBy: BlockingListenTests.`a listen returns when the closure is done, and has ended then`,
        BlockingListenTests.`errors of installing, receiving and decoding are thrown`,
        BlockingListenTests.`a failure to end is thrown, unless something failed before`,
        BlockingListenTests.`a peripheral that does not answer cannot hold a task beyond its timeout`)
    promise(
        "what is stale is flushed",
        provedBy: BlockingListenTests.`a flush goes on until a whole window was silent`)
    promise(
        "answers to writes, whole or in pieces",
        provedBy: BlockingListenTests.`the answer to a write cannot be missed`,
        BlockingListenTests.`without the listen nothing is written`,
        BlockingListenTests.`too much of an answer is an error with everything received`)
    promise(
        "a link that drops in the middle of a task",
        provedBy: BackgroundTaskTests
            .`an unexpected disconnect ends a blocked read; everybody else hears after the completion`,
        BlockingListenTests.`a disconnect while a listen is being ended is thrown`)
    promise(
        "everything can be cancelled during a task",
        provedBy: BackgroundTaskTests.`everything can be cancelled during a task`,
        BackgroundTaskTests.`a task can cancel everything itself`,
        BackgroundTaskTests.`Bluetooth going off ends a blocked read`,
        BlockingListenTests.`Bluetooth going off ends a waiting listen`,
        BlockingListenTests.`cancelling everything ends a waiting listen and leaves nothing behind`)
}

private func restoration() {
    promise(
        "the configuration says whether there is something to restore",
        provedBy: RestorationTests
            .`the configuration knows from the launch options whether there is something to restore`)
    promise(
        "a connection is restored by the state that it was in",
        provedBy: RestorationTests
            .`a connected peripheral is usable, and the restorer hears of it before the observers`,
        RestorationTests.`a pending attempt is renewed for 15 seconds: success`,
        RestorationTests.`a pending attempt is renewed for 15 seconds: failure`,
        RestorationTests.`a peripheral that is not connected is not restored`,
        RestorationTests.`without a peripheral there is nothing to restore`)
    promise(
        "the restorer decides about values without a listener",
        provedBy: RestorationTests.`the restorer decides about values without a listener`)
}
