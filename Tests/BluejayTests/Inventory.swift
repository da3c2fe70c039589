/// One promise of the library, the public names that it is about, and the tests that prove it.
struct Promise {
    /// What is promised.
    let text: String
    /// The number of the point in which Bluejay 0.8.9 for iOS departs from its promise, if this is one. Here it is
    /// kept.
    let point: Int?
    /// Names of public declarations.
    let names: [String]
    /// Tests as "Suite/function".
    let tests: [String]

    init(_ text: String, _ names: String, _ tests: String..., point: Int? = nil) {
        self.text = text
        self.names = names.split(separator: " ").map(String.init)
        self.tests = tests
        self.point = point
    }

    /// One of the points in which 0.8.9 departs from its promise.
    static func point(_ number: Int, _ text: String, _ tests: [String]) -> Promise {
        Promise(point: number, text, tests)
    }

    private init(point: Int, _ text: String, _ tests: [String]) {
        self.text = text
        self.point = point
        names = []
        self.tests = tests
    }
}

/// What the library promises. ``InventoryTests`` checks that nothing public is missing and that the tests exist.
enum Inventory {
    static let instance = [
        Promise(
            "all declarations have the types that programs use", "Bluejay init",
            "SignatureTests/the instance has the calls and properties that programs use",
            "SignatureTests/observers are registered and removed", "SignatureTests/work is asked for with completions",
            "SignatureTests/a task's peripheral has its blocking calls",
            "SignatureTests/values travel and are named as programs expect"),
        Promise(
            "an instance does nothing before its start, and identifies itself in the log", "uuid",
            "LifecycleTests/two instances have different identities",
            "ObserverTests/the log goes to observers, literally, from the first message on"),
        Promise(
            "start creates a manager, or adopts one with its peripheral",
            "start StartMode new use StartOptions default hasStarted",
            "LifecycleTests/starting creates a manager of its own",
            "LifecycleTests/an adopted manager is taken over with its connected peripheral",
            "LifecycleTests/a peripheral that is not connected is not adopted"),
        Promise(
            "stopping hands the state over without disconnecting, and it can be taken back",
            "stopAndExtractBluetoothState",
            "LifecycleTests/stopping hands everything over without disconnecting",
            "LifecycleTests/after a stop, a start takes the state back and the queue runs",
            "Promises/theStateIsHandedOverAndTakenBackWithTheLinkUp"),
        Promise(
            "cancelEverything fails the scan, then the queue from front to back, and disconnects if so wanted",
            "cancelEverything",
            "LifecycleTests/cancelling fails the scan first, then the queue from front to back",
            "LifecycleTests/cancelling disconnects, as expected",
            "LifecycleTests/what completions queue while everything is cancelled stays",
            "Promises/cancellingKeepsTheLinkAndLateAnswersAreNotTakenForLaterOnes"),
        Promise(
            "the state of Bluetooth; not known yet is not off",
            "isBluetoothAvailable isBluetoothStateUpdateImminent centralManagerDidUpdateState",
            "LifecycleTests/a state that is not known yet is imminent",
            "LifecycleTests/operations wait for Bluetooth the first time only"),
        Promise(
            "when Bluetooth is lost everything fails, nobody reconnects, observers hear of it", "bluetoothAvailable",
            "LifecycleTests/whenever Bluetooth is lost, everything fails and nobody reconnects",
            "Connections/powerOffEndsEverythingAndPowerOnBringsItBack"),
        Promise(
            "the state of the connection", "isConnecting isConnected isDisconnecting",
            "ConnectTests/a connection that waits in the queue is not connecting",
            "ConnectTests/the completion comes first, then what is queued, then the observers",
            "DisconnectTests/an immediate disconnect fails everything",
            "LifecycleTests/state can be read from any thread"),
        Promise(
            "everything ends with the last reference", "",
            "LifecycleTests/when the last reference goes, everything fails and the link is ended",
            "LifecycleTests/nothing keeps an instance alive"),
        Promise(
            "ten thousand mixed operations complete once, in order and in flat memory", "",
            "MixedEnduranceTests/ten thousand mixed operations complete once and in order, in memory that stays flat",
            "QueueEnduranceTests/every completion is called exactly once, and work is done in order",
            "Endurance/mixedOperationsWithCancelsTimeoutsAndDropsCompleteOnceAndInOrder"),
    ]

    static let observers = [
        Promise(
            "connection observers are weak, told the state at once, called in order, and need no method",
            "ConnectionObserver register unregister connected disconnected",
            "ObserverTests/a connection observer is told the state when it is registered",
            "ObserverTests/observers are called in the order of registration, each once",
            "ObserverTests/observers are not kept alive", "ObserverTests/methods of observers are optional",
            "Connections/bothSidesSeeTheConnectionAndItsEnd"),
        Promise(
            "signal strengths go to their observers, outside of the queue", "RSSIObserver didReadRSSI readRSSI",
            "CharacteristicTests/signal strengths go to the observers",
            "CharacteristicPromises/aSignalStrengthIsToldOnceAndOutsideOfTheQueue",
            "Promises/changesOfServicesAndSignalStrengthsGoToTheirObservers"),
        Promise(
            "changes of services go to their observers, with an empty list for additions",
            "ServiceObserver didModifyServices",
            "CharacteristicTests/changes of services go to the observers",
            "Promises/changesOfServicesAndSignalStrengthsGoToTheirObservers"),
        Promise(
            "the log goes to its observers, or to standard error", "LogObserver debug",
            "ObserverTests/the log goes to observers, literally, from the first message on",
            "ObserverTests/details are not even put together without an observer"),
    ]

    static let values = [
        Promise(
            "services and characteristics are named by UUID, the latter within its service",
            "ServiceIdentifier CharacteristicIdentifier service uuid description == hash",
            "ValueTests/a characteristic in two services has two identifiers",
            "ValueTests/an identifier matches the discovered characteristic of its service",
            "ValueTests/a characteristic whose service is gone has no identifier"),
        Promise(
            "peripherals are named by UUID, with a name for people", "PeripheralIdentifier name",
            "ValueTests/peripherals are compared and hashed by their UUID only"),
        Promise(
            "timeouts count from the start of the attempt, in fractions of seconds", "Timeout seconds none",
            "ConnectTests/a timeout cancels the attempt and is reported when that is confirmed",
            "Connections/connectingToAnAbsentDeviceTimesOutWithItsError"),
        Promise(
            "warning options are accepted and become connect options", "WarningOptions defaultWarningOptions",
            "ValueTests/warning options become CoreBluetooth's connect options"),
        Promise(
            "results are a success or a failure",
            "ConnectionResult DisconnectionResult ReadResult WriteResult RunResult success failure",
            "BackgroundTaskTests/a task runs elsewhere, and its result comes on the main queue",
            "CharacteristicTests/CoreBluetooth's errors pass through"),
        Promise(
            "integers, data and text travel as their bytes", "Sendable Receivable toBluetoothData",
            "SerializationTests/integers travel with the least significant byte first, as wide as their type",
            "SerializationTests/integers are decoded from exactly their bytes",
            "SerializationTests/an integer from bytes at hand: longer input is cut off, shorter input is extended with zeros",
            "SerializationTests/an integer that is received with too few bytes is an error that names the numbers",
            "SerializationTests/data and strings are their bytes",
            "SerializationTests/bytes that are not UTF-8 do not end the program"),
        Promise(
            "packets are combined and taken apart", "combine DataPadding extract",
            "SerializationTests/combine concatenates in order, nested values too",
            "SerializationTests/padding is zero bytes",
            "SerializationTests/extract reads a value anywhere in the data"),
        Promise(
            "CoreBluetooth's objects are looked up and named", "characteristic string",
            "ValueTests/attributes are looked up among the discovered ones", "ValueTests/states have names"),
        Promise(
            "the names of version 0.7 still work", "",
            "FormerNameTests/a start with an observer and a handler registers both",
            "FormerNameTests/a listen is restored by listening",
            "FormerNameTests/a peripheral is named by its UUID"),
    ]

    static let errors = [
        Promise(
            "each error has its number, domain and text",
            """
            BluejayError BluejayNotStartedError errorDescription errorDomain errorCode errorUserInfo \
            allowDuplicatesInBackgroundNotSupported missingServiceIdentifiersInBackground startupBackgroundTaskExpired \
            writeFailed
            """,
            "ErrorTests/codes are 1 to 29 in the order of the table", "ErrorTests/the domain is Bluejay",
            "ErrorTests/every error says something different, and the same everywhere",
            "ErrorTests/descriptions name what the error is about", "ErrorTests/errors can be compared as NSErrors",
            "ErrorTests/not being started is an error of the same domain, with a number and a sentence of its own"),
        Promise(
            "Bluetooth is not available", "bluetoothUnavailable",
            "ConnectTests/connecting needs Bluetooth",
            "ScanTests/a scan ends with an error when Bluetooth goes off, and is refused while it is off"),
        Promise(
            "one scan, connection, disconnection and task at a time",
            """
            multipleScanNotSupported multipleConnectNotSupported multipleDisconnectNotSupported \
            multipleBackgroundTaskNotSupported backgroundTaskRunning
            """,
            "ScanTests/a second scan is refused and does not disturb the first",
            "ConnectTests/connecting while connecting or connected is refused and disturbs nothing",
            "DisconnectTests/nothing can be queued behind a queued disconnect",
            "BackgroundTaskTests/while a task runs, everything else is refused"),
        Promise(
            "the ways in which a connection is missed",
            "connectionTimedOut notConnected unexpectedDisconnect unexpectedPeripheral",
            "Connections/connectingToAnAbsentDeviceTimesOutWithItsError", "CharacteristicTests/calls need a connection",
            "ConnectTests/a failed attempt is reported once, and repeated",
            "ConnectTests/an unknown peripheral is refused at once"),
        Promise(
            "what the peripheral does not have", "missingService missingCharacteristic",
            "CharacteristicTests/what the peripheral does not have is missing",
            "CharacteristicTests/a characteristic is found in the second of two services with the same UUID",
            "Values/aMissingServiceAndCharacteristicAreErrors",
            "Profiles/aServiceGoesAndComesOnAWriteAndOneHasNoCharacteristic"),
        Promise(
            "what work is lost to", "cancelled explicitDisconnect disconnectQueued stopped",
            "LifecycleTests/cancelling disconnects, as expected",
            "Promises/anImmediateDisconnectFailsWhatIsUnderWay",
            "Promises/workBeforeAQueuedDisconnectIsDoneAndNothingBehindIt",
            "LifecycleTests/stopping hands everything over without disconnecting"),
        Promise(
            "errors of listening and receiving",
            "listenTimedOut missingData multipleListenTrapped multipleListenReplaced tooMuchData indefiniteFlush",
            "BlockingListenTests/an answer that does not come in time",
            "ListenTests/every value is delivered, the installation is not", "Promises/listensAreTrappedOrReplaced",
            "BackgroundTasks/aMessageInUnknownPiecesIsAssembledAndTooMuchOfItIsAnError",
            "BlockingListenTests/a flush that might never end ends the program"),
        Promise(
            "errors of reading", "readFailed dataOutOfBounds",
            "CharacteristicTests/a characteristic that is listened to cannot be read",
            "SerializationTests/extract beyond the data is an error with the real numbers"),
        Promise(
            "work that was queued before a restoration", "backgroundRestorationInProgress",
            "RestorationTests/what was queued before fails, without disconnecting"),
    ]

    static let scanning = [
        Promise(
            "a scan asks for services, several or all, with or without duplicates", "scan",
            "ScanTests/the central is asked for the services, with or without duplicates",
            "Discovery/aScanForTheServiceFindsTheSensor", "Discovery/aScanForAnotherServiceDoesNotFindIt",
            "Discovery/aScanWithoutAFilterFindsTheSensorByItsName"),
        Promise(
            "duration", "", "ScanTests/a scan ends after its duration, counted from its start",
            "Promises/aScanEndsAfterItsDurationAndASecondOneDoesNotDisturbIt"),
        Promise(
            "a discovery tells what is advertised",
            "ScanDiscovery peripheralIdentifier advertisementPacket rssi",
            "ScanTests/a discovery carries name, advertisement and signal strength, and is called once"),
        Promise(
            "repeats are throttled by signal strength", "",
            "ScanTests/repeats are reported when the signal has changed enough since the last accepted one",
            "ScanTests/a delta of zero reports everything"),
        Promise(
            "what a discovery is answered with", "ScanAction continue blacklist stop connect",
            "ScanTests/a blacklisted peripheral is silent for the rest of this scan only",
            "ScanTests/stop from a discovery ends the scan",
            "ScanTests/connect from a discovery ends the scan, then connects",
            "ScanTests/a connection from a discovery of an unknown peripheral is refused",
            "Promises/aDiscoveryConnects"),
        Promise(
            "peripherals expire after 15 seconds", "",
            "ScanTests/a peripheral that is not seen for 15 seconds expires",
            "ScanTests/peripherals expire without a closure, and not at all without duplicates",
            "ScanTests/a connection to a peripheral that has expired is refused, and told so",
            "Promises/aSensorThatIsNotSeenForFifteenSecondsExpires"),
        Promise(
            "a scan is stopped, queued or running", "stopScanning isScanning",
            "ScanTests/a queued scan can be stopped and is never started",
            "ScanTests/stopScanning without a scan is logged",
            "ScanTests/a connection request ends the scan as intended",
            "ScanTests/a refused connection request leaves the scan alone",
            "ScanTests/an unexpected disconnect ends a scan with an error",
            "ScanTests/a scan is refused while a disconnect is queued"),
    ]

    static let connections = [
        Promise(
            "a connection has one outcome", "centralManager",
            "ConnectTests/what waits behind an attempt fails with its timeout, what comes later does not",
            "ConnectTests/a connection that comes up while it is being given up is ignored",
            "ConnectTests/a timeout has no effect after the connection",
            "ConnectTests/events of peripherals that are not in use are ignored",
            "ConnectTests/connecting is refused while a disconnect is queued"),
        Promise(
            "an attempt can be cancelled", "",
            "ConnectTests/cancelling gives up the attempt; what waits behind fails after it",
            "ConnectTests/Bluetooth off ends an attempt at once"),
        Promise(
            "a disconnect waits for its turn or takes place at once", "disconnect disconnected",
            "DisconnectTests/order at an expected disconnect",
            "DisconnectTests/a disconnect behind an attempt follows it",
            "DisconnectTests/a disconnect behind an attempt fails with it",
            "DisconnectTests/an immediate disconnect gives up an attempt",
            "DisconnectTests/there must be something to disconnect",
            "DisconnectTests/calls in the completion of a disconnect work",
            "DisconnectTests/what is queued after an immediate disconnect"),
        Promise(
            "an unexpected disconnect fails what is queued and is followed by a connection", "shouldAutoReconnect",
            "DisconnectTests/an unexpected disconnect fails what is queued, tells everybody, and connects again",
            "DisconnectTests/a failed connection is repeated until it succeeds",
            "DisconnectTests/an own connection in an observer takes the place of the automatic one",
            "Connections/theSensorCanEndTheConnectionAndTheCentralReconnectsByItself"),
        Promise(
            "the disconnect handler decides about connecting again",
            """
            DisconnectHandler didDisconnect registerDisconnectHandler unregisterDisconnectHandler AutoReconnectMode \
            noChange change
            """,
            "DisconnectTests/the handler decides about connecting again",
            "DisconnectTests/an unregistered or dead handler is not asked",
            "Promises/theDisconnectHandlerDecidesAndListenersHearWhy"),
    ]

    static let characteristics = [
        Promise(
            "one operation at a time, in order, after discovery", "read",
            "CharacteristicTests/service and characteristic are discovered once, then used",
            "CharacteristicTests/one operation at a time, in the order of the calls",
            "CharacteristicTests/errors of discovery reach what needs it",
            "CharacteristicTests/a service that has gone is discovered again when it is used"),
        Promise(
            "reads are decoded", "", "CharacteristicTests/values are decoded, and what decoding throws is reported",
            "Values/theSensorLocationIsWrittenAndReadBack", "Profiles/anATTErrorComesTheFirstTimesOrAlways",
            "Profiles/anAnswerCanTakeItsTime"),
        Promise(
            "writes of both types", "write",
            "CharacteristicTests/a value is turned into bytes when the write starts",
            "CharacteristicTests/a write without response is done when it is handed over",
            "CharacteristicTests/a write without response waits for room",
            "Values/writesWithoutResponseAllArriveBeforeTheNextRequest",
            "Values/theControlPointRefusesWhatItDoesNotKnowWithItsATTError"),
        Promise(
            "requests without an answer fail when the link ends", "",
            "Profiles/aReadAndAWriteThatGetNoAnswerFailWhenTheLinkEnds",
            "Profiles/theLinkEndsInTheMiddleOfAReadAWriteAndNotifications"),
        Promise(
            "listens are trapped or replaced",
            "listen MultipleListenOption trap replaceable ListenCallback isListening",
            "ListenTests/a trapping listen refuses another, whether installed or not",
            "ListenTests/a replaceable listen is told when another has taken over",
            "ListenTests/several listens on their way are installed in order",
            "ListenTests/a value that cannot be decoded is an error, and the listen goes on",
            "ValueTests/raw values of the listen options", "Notifications/heartRatesComeAndDecode"),
        Promise(
            "the end of a listen", "endListen",
            "ListenTests/the end of a listen silences it at once, and is confirmed later",
            "ListenTests/the end of a listen that is not there clears the subscription all the same",
            "ListenTests/listen, end and listen again end in listening",
            "ListenTests/a listen may be ended from its own value",
            "Notifications/afterEndListenNothingArrivesAndAListenCanBeInstalledAgain"),
        Promise(
            "errors are broadcast to listeners if so wanted", "broadcastErrorsToListeners",
            "ListenTests/without the broadcast, listeners hear nothing of the end",
            "ListenTests/with the broadcast, listeners hear once why it ended",
            "ListenTests/a disconnect that Bluetooth going off cuts short is broadcast once",
            "Promises/theDisconnectHandlerDecidesAndListenersHearWhy"),
    ]

    static let tasks = [
        Promise(
            "a task runs elsewhere, in three forms", "run SynchronizedPeripheral",
            "BackgroundTaskTests/a task runs elsewhere, and its result comes on the main queue",
            "BackgroundTaskTests/a task is refused without a connection, at once",
            "BackgroundTaskTests/the ordinary calls work in the completion",
            "BackgroundTaskTests/a blocking call on the main queue ends the program",
            "BackgroundTaskTests/an ordinary call outside the main queue ends the program"),
        Promise(
            "blocking reads and writes", "writeAndRead maximumWriteValueLength",
            "BackgroundTaskTests/blocking reads and writes", "BackgroundTaskTests/errors are thrown",
            "BackgroundTaskTests/the longest write", "BackgroundTasks/readsWritesListensAndTheirEndsBlock",
            "BackgroundTasks/errorsOfThePeripheralAreThrown"),
        Promise(
            "blocking listens", "ListenAction keepListening done",
            "BlockingListenTests/a listen returns when the closure is done, and has ended then",
            "BlockingListenTests/errors of installing, receiving and decoding are thrown",
            "BlockingListenTests/a failure to end is thrown, unless something failed before",
            "BlockingListenTests/a peripheral that does not answer cannot hold a task beyond its timeout",
            "BackgroundTasks/aPeripheralThatDoesNotAnswerHoldsATaskOnlyForItsTimeout"),
        Promise(
            "what is stale is flushed", "flushListen",
            "BlockingListenTests/a flush goes on until a whole window was silent",
            "BackgroundTasks/whatIsStaleIsFlushed",
            "Profiles/staleNotificationsComeBeforeTheOnesThatAreWanted"),
        Promise(
            "answers to writes, whole or in pieces", "writeAndListen writeAndAssemble",
            "BlockingListenTests/the answer to a write cannot be missed",
            "BlockingListenTests/without the listen nothing is written",
            "BlockingListenTests/too much of an answer is an error with everything received",
            "BackgroundTasks/requestsAreAnsweredInsideATask",
            "BackgroundTasks/aMessageInUnknownPiecesIsAssembledAndTooMuchOfItIsAnError"),
        Promise(
            "a link that drops in the middle of a task", "",
            "BackgroundTaskTests/an unexpected disconnect ends a blocked read; everybody else hears after the completion",
            "BlockingListenTests/a disconnect while a listen is being ended is thrown",
            "BackgroundTasks/aLinkThatDropsInTheMiddleEndsTheTaskThenEverybodyHears"),
        Promise(
            "everything can be cancelled during a task", "",
            "BackgroundTaskTests/everything can be cancelled during a task",
            "BackgroundTaskTests/a task can cancel everything itself",
            "BackgroundTaskTests/Bluetooth going off ends a blocked read",
            "BlockingListenTests/Bluetooth going off ends a waiting listen",
            "BlockingListenTests/cancelling everything ends a waiting listen and leaves nothing behind"),
    ]

    static let restoration = [
        Promise(
            "the configuration tells whether there is something to restore",
            """
            BackgroundRestoreMode disable enable BackgroundRestoreConfig restoreIdentifier backgroundRestorer \
            listenRestorer launchOptions centralKeys isRestoringFromBackground RestoreIdentifier LaunchOptions \
            isBackgroundRestorationEnabled
            """,
            "RestorationTests/the configuration knows from the launch options whether there is something to restore"),
        Promise(
            "a connection is restored by the state that it was in",
            """
            BackgroundRestorer didRestoreConnection didFailToRestoreConnection BackgroundRestoreCompletion callback
            """,
            "RestorationTests/a connected peripheral is usable, and the restorer hears of it before the observers",
            "RestorationTests/a pending attempt is renewed for 15 seconds: success",
            "RestorationTests/a pending attempt is renewed for 15 seconds: failure",
            "RestorationTests/a peripheral that is not connected is not restored",
            "RestorationTests/without a peripheral there is nothing to restore"),
        Promise(
            "the restorer decides about values without a listener",
            "ListenRestorer ListenRestoreAction didReceiveUnhandledListen promiseRestoration stopListen",
            "RestorationTests/the restorer decides about values without a listener"),
    ]

    static let all =
        instance + observers + values + errors + scanning + connections + characteristics + tasks + restoration + points
}
