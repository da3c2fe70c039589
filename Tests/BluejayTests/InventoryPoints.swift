extension Inventory {
    /// Those that need no peripheral: before a start, hashes, taking data apart. All others are proved in the lab, too.
    static let pointsWithoutPeripheral: Set = [1, 6, 29]

    /// Where Bluejay 0.8.9 for iOS departs from what it promises, this library keeps the promise.
    static let points: [Promise] = [
        .point(
            1, "safe answers before the start",
            [
                "LifecycleTests/before the start everything has a safe answer",
                "LifecycleTests/before the start, what needs a connection says that it is not started",
                "ScanTests/a scan before the start is refused",
                "ConnectTests/connecting needs Bluetooth", "LifecycleTests/an unstarted instance goes without a trace",
            ]),
        .point(
            2, "deallocation with a full queue",
            [
                "LifecycleTests/when the last reference goes, everything fails and the link is ended",
                "LifecycleTests/when the last reference goes, a pending attempt is given up",
                "LifecycleTests/the last reference may go on any thread",
                "ConnectionPromises/withTheLastReferenceEverythingFailsAndTheLinkEnds",
            ]),
        .point(
            3, "broadcast at every kind of end",
            [
                "ListenTests/with the broadcast, listeners hear once why it ended",
                "ListenTests/the broadcast tells about requested disconnects and Bluetooth off",
                "Promises/theDisconnectHandlerDecidesAndListenersHearWhy",
            ]),
        .point(
            4, "a second start is ignored",
            [
                "LifecycleTests/a second start is logged and ignored",
                "Promises/theStateIsHandedOverAndTakenBackWithTheLinkUp",
            ]),
        .point(
            5, "an adopted manager is taken over completely",
            [
                "LifecycleTests/an adopted manager is taken over with its connected peripheral",
                "Promises/theStateIsHandedOverAndTakenBackWithTheLinkUp",
            ]),
        .point(
            6, "hashes of peripheral identifiers",
            [
                "ValueTests/peripherals are compared and hashed by their UUID only"
            ]),
        .point(
            7, "one call for a discovery",
            [
                "ScanTests/a discovery carries name, advertisement and signal strength, and is called once",
                "ScanTests/repeats are reported when the signal has changed enough since the last accepted one",
                "ScanPromises/aDiscoveryIsToldOnceWithItselfInTheList",
            ]),
        .point(
            8, "a connection from a discovery that fails",
            [
                "ScanTests/a connection from a discovery reports its timeout",
                "ScanTests/a connection from a discovery reports its cancellation",
                "ScanPromises/aConnectionFromADiscoveryTellsItsTimeoutAndItsCancellation",
            ]),
        .point(
            9, "a scan inside stopped",
            [
                "ScanTests/scanning again in stopped works",
                "ScanPromises/scanningAgainInStoppedFindsAgain",
            ]),
        .point(
            10, "stop from expired",
            [
                "ScanTests/stop from expired ends the scan, other answers have no effect",
                "Promises/aSensorThatIsNotSeenForFifteenSecondsExpires",
            ]),
        .point(
            11, "a second scan",
            [
                "ScanTests/a second scan is refused and does not disturb the first",
                "Promises/aScanEndsAfterItsDurationAndASecondOneDoesNotDisturbIt",
            ]),
        .point(
            12, "isDisconnecting during a queued disconnect",
            [
                "DisconnectTests/a queued disconnect waits for the work before it",
                "ConnectionPromises/aConnectionIsDisconnectingFromTheTurnOfAQueuedDisconnectToItsEnd",
            ]),
        .point(
            13, "a timeout is not an unexpected disconnect",
            [
                "ConnectTests/a timeout is not an unexpected disconnect: nobody connects again",
                "DisconnectTests/connecting again uses the last timeout, even of a refused call",
                "ConnectionPromises/aTimeoutIsToldOnceAndNobodyConnectsAgain",
            ]),
        .point(
            14, "a failed attempt reports once",
            [
                "ConnectTests/a failed attempt is reported once, and repeated",
                "ConnectionPromises/anAttemptThatTheSystemRefusesFailsOnce",
            ]),
        .point(
            15, "a refused second connect",
            [
                "ConnectTests/a refused second connect does not take the first one's completion",
                "ConnectionPromises/aTimeoutIsToldOnceAndNobodyConnectsAgain",
            ]),
        .point(
            16, "work before a queued disconnect, discovery included",
            [
                "DisconnectTests/work queued before a disconnect is done, even if it has to discover first",
                "Promises/workBeforeAQueuedDisconnectIsDoneAndNothingBehindIt",
            ]),
        .point(
            17, "reading what is listened to",
            [
                "CharacteristicTests/a characteristic that is listened to cannot be read",
                "Promises/listensAreTrappedOrReplaced",
            ]),
        .point(
            18, "a failed replacement",
            [
                "ListenTests/a failed replacement leaves the old listen",
                "CharacteristicPromises/aReplacementThatFailsLeavesTheListen",
            ]),
        .point(
            19, "a listen ended before its installation",
            [
                "ListenTests/a listen ended before it is confirmed stays ended",
                "CharacteristicPromises/aListenThatIsEndedAtOnceStaysEnded",
            ]),
        .point(
            20, "whose answer it is",
            [
                "CharacteristicTests/another characteristic's value is not taken for the answer to a read",
                "CharacteristicTests/answers are matched by service, too",
                "CharacteristicTests/the answer to a cancelled request is not taken for a later one's",
                "CharacteristicPromises/anAnswerIsTheOneOfItsServicesCharacteristic",
                "Promises/cancellingKeepsTheLinkAndLateAnswersAreNotTakenForLaterOnes",
            ]),
        .point(
            21, "a blocking listen and a disconnect",
            [
                "BlockingListenTests/an unexpected disconnect ends a waiting listen",
                "BackgroundTasks/aLinkThatDropsInTheMiddleEndsTheTaskThenEverybodyHears",
            ]),
        .point(
            22, "clean-up after a task",
            [
                "BackgroundTaskTests/clean-up takes place whatever the task makes of the disconnect",
                "TaskPromises/everybodyHearsOfALostLinkEvenIfTheTaskDoesNotMind",
            ]),
        .point(
            23, "a refused blocking listen",
            [
                "BlockingListenTests/an existing listen refuses a blocking one, and goes on",
                "TaskPromises/anExistingListenRefusesABlockingOneAndGoesOnUntilATaskEndsIt",
            ]),
        .point(
            24, "fractions of seconds",
            [
                "BlockingListenTests/the timeout is for the whole call and counts fractions",
                "BackgroundTasks/aPeripheralThatDoesNotAnswerHoldsATaskOnlyForItsTimeout",
            ]),
        .point(
            25, "the completion of a blocking endListen",
            [
                "BlockingListenTests/ending a listen waits for the peripheral, and calls the completion",
                "BlockingListenTests/ending a listen when the connection is gone calls the completion, too",
                "TaskPromises/anExistingListenRefusesABlockingOneAndGoesOnUntilATaskEndsIt",
                "BackgroundTasks/readsWritesListensAndTheirEndsBlock",
            ]),
        .point(
            26, "a flush needs a whole silent window",
            [
                "BlockingListenTests/a flush goes on until a whole window was silent",
                "BackgroundTasks/whatIsStaleIsFlushed",
            ]),
        .point(
            27, "a failed write ends the listen",
            [
                "BlockingListenTests/a failed write ends the listen",
                "TaskPromises/aWriteThatFailsEndsTheListenOfTheAnswer",
            ]),
        .point(
            28, "listening on after an assembly",
            [
                "BlockingListenTests/an answer in pieces is put together, again if so wanted",
                "BackgroundTasks/requestsAreAnsweredInsideATask",
            ]),
        .point(
            29, "extract cannot be led outside of the data",
            [
                "SerializationTests/extract counts from the beginning of a slice",
                "SerializationTests/extract beyond the data is an error with the real numbers",
                "SerializationTests/extract of a type larger than the length is an error",
            ]),
        .point(
            30, "the warning about services",
            [
                "ScanTests/a scan for everything is warned about",
                "ScanPromises/warningsAndNamesAreLoggedAsTheyAre",
            ]),
        .point(
            31, "log text is literal",
            [
                "ObserverTests/the log goes to observers, literally, from the first message on",
                "ScanPromises/warningsAndNamesAreLoggedAsTheyAre",
            ]),
        .point(
            32, "state belongs to the main queue",
            [
                "BackgroundTaskTests/while a task runs, everything else is refused",
                "LifecycleTests/everything may be cancelled from any thread",
                "LifecycleTests/state can be read from any thread",
                "TaskPromises/duringATaskAllElseIsRefusedOnWhicheverThread",
            ]),
        .point(
            33, "a pending disconnect and Bluetooth off",
            [
                "DisconnectTests/a pending disconnect is told that Bluetooth went off",
                "LifecycleTests/stopping tells a pending disconnect",
                "ConnectionPromises/aDisconnectIsToldOnceWhenBluetoothGoesOffMeanwhile",
            ]),
        .point(
            34, "no confirmation from the system",
            [
                "ConnectTests/an attempt given up ends even if the system never confirms",
                "DisconnectTests/a disconnect ends even if the system never confirms",
                "ConnectionPromises/anAttemptThatIsCancelledEndsOnceAndTheQueueGoesOn",
                "ConnectionPromises/aDisconnectThatTheSystemDoesNotConfirmEndsAllTheSame",
            ]),
    ]
}
