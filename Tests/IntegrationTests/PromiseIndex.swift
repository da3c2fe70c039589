// Which tests in the lab prove what Bluejay promises. Nothing here runs: the compiler checks that each test exists, and
// a test that is renamed is renamed here, too.

private func promise(_ text: String, provedBy tests: Any...) {}

private func point(_ number: Int, _ text: String, provedBy tests: Any...) {}

private func instance() {
    promise(
        "stopping hands the state over without disconnecting, and it can be taken back",
        provedBy: InTheLab.Promises.theStateIsHandedOverAndTakenBackWithTheLinkUp)
    promise(
        "cancelEverything fails the scan, then the queue from front to back, and disconnects if so wanted",
        provedBy: InTheLab.Promises.cancellingKeepsTheLinkAndLateAnswersAreNotTakenForLaterOnes)
    promise(
        "when Bluetooth is lost everything fails, nobody reconnects, observers hear of it",
        provedBy: InTheLab.Connections.powerOffEndsEverythingAndPowerOnBringsItBack)
    promise(
        "ten thousand mixed operations complete once, in order and in flat memory",
        provedBy: InTheLab.Endurance.mixedOperationsWithCancelsTimeoutsAndDropsCompleteOnceAndInOrder)
}

private func observers() {
    promise(
        "connection observers are weak, told the state at once, called in order, and need no method",
        provedBy: InTheLab.Connections.bothSidesSeeTheConnectionAndItsEnd)
    promise(
        "signal strengths go to their observers, outside of the queue",
        provedBy: InTheLab.CharacteristicPromises.aSignalStrengthIsToldOnceAndOutsideOfTheQueue,
        InTheLab.Promises.changesOfServicesAndSignalStrengthsGoToTheirObservers)
    promise(
        "changes of services go to their observers, with an empty list for additions",
        provedBy: InTheLab.Promises.changesOfServicesAndSignalStrengthsGoToTheirObservers)
}

private func values() {
    promise(
        "timeouts count from the start of the attempt, in fractions of seconds",
        provedBy: InTheLab.Connections.connectingToAnAbsentDeviceTimesOutWithItsError)
}

private func errors() {
    promise(
        "the ways in which a connection is missed",
        provedBy: InTheLab.Connections.connectingToAnAbsentDeviceTimesOutWithItsError)
    promise(
        "what the peripheral does not have",
        provedBy: InTheLab.Values.aMissingServiceAndCharacteristicAreErrors,
        InTheLab.Profiles.aServiceGoesAndComesOnAWriteAndOneHasNoCharacteristic)
    promise(
        "what work is lost to",
        provedBy: InTheLab.Promises.anImmediateDisconnectFailsWhatIsUnderWay,
        InTheLab.Promises.workBeforeAQueuedDisconnectIsDoneAndNothingBehindIt)
    promise(
        "errors of listening and receiving",
        provedBy: InTheLab.Promises.listensAreTrappedOrReplaced,
        InTheLab.BackgroundTasks.aMessageInUnknownPiecesIsAssembledAndTooMuchOfItIsAnError)
}

private func scanning() {
    promise(
        "a scan asks for services, several or all, with or without duplicates",
        provedBy: InTheLab.Discovery.aScanForTheServiceFindsTheSensor,
        InTheLab.Discovery.aScanForAnotherServiceDoesNotFindIt,
        InTheLab.Discovery.aScanWithoutAFilterFindsTheSensorByItsName)
    promise(
        "duration",
        provedBy: InTheLab.Promises.aScanEndsAfterItsDurationAndASecondOneDoesNotDisturbIt)
    promise(
        "what a discovery is answered with",
        provedBy: InTheLab.Promises.aDiscoveryConnects)
    promise(
        "peripherals expire after 15 seconds",
        provedBy: InTheLab.Promises.aSensorThatIsNotSeenForFifteenSecondsExpires)
}

private func connections() {
    promise(
        "an unexpected disconnect fails what is queued and is followed by a connection",
        provedBy: InTheLab.Connections.theSensorCanEndTheConnectionAndTheCentralReconnectsByItself)
    promise(
        "the disconnect handler decides about connecting again",
        provedBy: InTheLab.Promises.theDisconnectHandlerDecidesAndListenersHearWhy)
}

private func characteristics() {
    promise(
        "reads are decoded",
        provedBy: InTheLab.Values.theSensorLocationIsWrittenAndReadBack,
        InTheLab.Profiles.anATTErrorComesTheFirstTimesOrAlways,
        InTheLab.Profiles.anAnswerCanTakeItsTime)
    promise(
        "writes of both types",
        provedBy: InTheLab.Values.writesWithoutResponseAllArriveBeforeTheNextRequest,
        InTheLab.Values.theControlPointRefusesWhatItDoesNotKnowWithItsATTError)
    promise(
        "requests without an answer fail when the link ends",
        provedBy: InTheLab.Profiles.aReadAndAWriteThatGetNoAnswerFailWhenTheLinkEnds,
        InTheLab.Profiles.theLinkEndsInTheMiddleOfAReadAWriteAndNotifications)
    promise(
        "listens are trapped or replaced",
        provedBy: InTheLab.Notifications.heartRatesComeAndDecode)
    promise(
        "the end of a listen",
        provedBy: InTheLab.Notifications.afterEndListenNothingArrivesAndAListenCanBeInstalledAgain)
    promise(
        "errors are broadcast to listeners if so wanted",
        provedBy: InTheLab.Promises.theDisconnectHandlerDecidesAndListenersHearWhy)
}

private func tasks() {
    promise(
        "blocking reads and writes",
        provedBy: InTheLab.BackgroundTasks.readsWritesListensAndTheirEndsBlock,
        InTheLab.BackgroundTasks.errorsOfThePeripheralAreThrown)
    promise(
        "blocking listens",
        provedBy: InTheLab.BackgroundTasks.aPeripheralThatDoesNotAnswerHoldsATaskOnlyForItsTimeout)
    promise(
        "what is stale is flushed",
        provedBy: InTheLab.BackgroundTasks.whatIsStaleIsFlushed,
        InTheLab.Profiles.staleNotificationsComeBeforeTheOnesThatAreWanted)
    promise(
        "answers to writes, whole or in pieces",
        provedBy: InTheLab.BackgroundTasks.requestsAreAnsweredInsideATask,
        InTheLab.BackgroundTasks.aMessageInUnknownPiecesIsAssembledAndTooMuchOfItIsAnError)
    promise(
        "a link that drops in the middle of a task",
        provedBy: InTheLab.BackgroundTasks.aLinkThatDropsInTheMiddleEndsTheTaskThenEverybodyHears)
}

/// Where Bluejay 0.8.9 for iOS departs from its promise. Points 1, 6 and 29 need no peripheral: hashes, taking data
/// apart and calls before the start are proved by unit tests alone.
private func points() {
    point(
        2, "deallocation with a full queue",
        provedBy: InTheLab.ConnectionPromises.withTheLastReferenceEverythingFailsAndTheLinkEnds)
    point(
        3, "broadcast at every kind of end",
        provedBy: InTheLab.Promises.theDisconnectHandlerDecidesAndListenersHearWhy)
    point(
        4, "a second start is ignored",
        provedBy: InTheLab.Promises.theStateIsHandedOverAndTakenBackWithTheLinkUp)
    point(
        5, "an adopted manager is taken over completely",
        provedBy: InTheLab.Promises.theStateIsHandedOverAndTakenBackWithTheLinkUp)
    point(
        7, "one call for a discovery",
        provedBy: InTheLab.ScanPromises.aDiscoveryIsToldOnceWithItselfInTheList)
    point(
        8, "a connection from a discovery that fails",
        provedBy: InTheLab.ScanPromises.aConnectionFromADiscoveryTellsItsTimeoutAndItsCancellation)
    point(
        9, "a scan inside stopped",
        provedBy: InTheLab.ScanPromises.scanningAgainInStoppedFindsAgain)
    point(
        10, "stop from expired",
        provedBy: InTheLab.Promises.aSensorThatIsNotSeenForFifteenSecondsExpires)
    point(
        11, "a second scan",
        provedBy: InTheLab.Promises.aScanEndsAfterItsDurationAndASecondOneDoesNotDisturbIt)
    point(
        12, "isDisconnecting during a queued disconnect",
        provedBy: InTheLab.ConnectionPromises.aConnectionIsDisconnectingFromTheTurnOfAQueuedDisconnectToItsEnd)
    point(
        13, "a timeout is not an unexpected disconnect",
        provedBy: InTheLab.ConnectionPromises.aTimeoutIsToldOnceAndNobodyConnectsAgain)
    point(
        14, "a failed attempt reports once",
        provedBy: InTheLab.ConnectionPromises.anAttemptThatTheSystemRefusesFailsOnce)
    point(
        15, "a refused second connect",
        provedBy: InTheLab.ConnectionPromises.aTimeoutIsToldOnceAndNobodyConnectsAgain)
    point(
        16, "work before a queued disconnect, discovery included",
        provedBy: InTheLab.Promises.workBeforeAQueuedDisconnectIsDoneAndNothingBehindIt)
    point(
        17, "reading what is listened to",
        provedBy: InTheLab.Promises.listensAreTrappedOrReplaced)
    point(
        18, "a failed replacement",
        provedBy: InTheLab.CharacteristicPromises.aReplacementThatFailsLeavesTheListen)
    point(
        19, "a listen ended before its installation",
        provedBy: InTheLab.CharacteristicPromises.aListenThatIsEndedAtOnceStaysEnded)
    point(
        20, "whose answer it is",
        provedBy: InTheLab.CharacteristicPromises.anAnswerIsTheOneOfItsServicesCharacteristic,
        InTheLab.Promises.cancellingKeepsTheLinkAndLateAnswersAreNotTakenForLaterOnes)
    point(
        21, "a blocking listen and a disconnect",
        provedBy: InTheLab.BackgroundTasks.aLinkThatDropsInTheMiddleEndsTheTaskThenEverybodyHears)
    point(
        22, "clean-up after a task",
        provedBy: InTheLab.TaskPromises.everybodyHearsOfALostLinkEvenIfTheTaskDoesNotMind)
    point(
        23, "a refused blocking listen",
        provedBy: InTheLab.TaskPromises.anExistingListenRefusesABlockingOneAndGoesOnUntilATaskEndsIt)
    point(
        24, "fractions of seconds",
        provedBy: InTheLab.BackgroundTasks.aPeripheralThatDoesNotAnswerHoldsATaskOnlyForItsTimeout)
    point(
        25, "the completion of a blocking endListen",
        provedBy: InTheLab.TaskPromises.anExistingListenRefusesABlockingOneAndGoesOnUntilATaskEndsIt,
        InTheLab.BackgroundTasks.readsWritesListensAndTheirEndsBlock)
    point(
        26, "a flush needs a whole silent window",
        provedBy: InTheLab.BackgroundTasks.whatIsStaleIsFlushed)
    point(
        27, "a failed write ends the listen",
        provedBy: InTheLab.TaskPromises.aWriteThatFailsEndsTheListenOfTheAnswer)
    point(
        28, "listening on after an assembly",
        provedBy: InTheLab.BackgroundTasks.requestsAreAnsweredInsideATask)
    point(
        30, "the warning about services",
        provedBy: InTheLab.ScanPromises.warningsAndNamesAreLoggedAsTheyAre)
    point(
        31, "log text is literal",
        provedBy: InTheLab.ScanPromises.warningsAndNamesAreLoggedAsTheyAre)
    point(
        32, "state belongs to the main queue",
        provedBy: InTheLab.TaskPromises.duringATaskAllElseIsRefusedOnWhicheverThread)
    point(
        33, "a pending disconnect and Bluetooth off",
        provedBy: InTheLab.ConnectionPromises.aDisconnectIsToldOnceWhenBluetoothGoesOffMeanwhile)
    point(
        34, "no confirmation from the system",
        provedBy: InTheLab.ConnectionPromises.anAttemptThatIsCancelledEndsOnceAndTheQueueGoesOn,
        InTheLab.ConnectionPromises.aDisconnectThatTheSystemDoesNotConfirmEndsAllTheSame)
}
