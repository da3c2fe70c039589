// Which tests prove what Bluejay promises in the lab. Nothing here runs: the compiler checks that each test exists, and
// a test that is renamed is renamed here, too.

private func promise(_ text: String, provedBy tests: Any...) {}

private func point(_ number: Int, _ text: String, provedBy tests: Any...) {}

private func instance() {
    promise(
        "stopping hands the state over without disconnecting, and it can be taken back",
        provedBy: InTheLab.Promises.`the state is handed over and taken back with the link up`)
    promise(
        "cancelEverything fails the scan, then the queue from front to back, and disconnects if so wanted",
        provedBy: InTheLab.Promises.`cancelling keeps the link and late answers are not taken for later ones`)
    promise(
        "when Bluetooth is lost everything fails, nobody reconnects, observers hear of it",
        provedBy: InTheLab.Connections.`power off ends everything and power on brings it back`)
    promise(
        "ten thousand mixed operations complete once, in order and in flat memory",
        provedBy: InTheLab.Endurance.`mixed operations with cancels, timeouts and drops complete once and in order`)
}

private func observers() {
    promise(
        "connection observers are weak, get the state at once, are called in order, and need no method",
        provedBy: InTheLab.Connections.`both sides see the connection and its end`)
    promise(
        "signal strengths go to their observers, outside of the queue",
        provedBy: InTheLab.CharacteristicPromises.`a signal strength is reported once and outside of the queue`,
        InTheLab.Promises.`changes of services and signal strengths go to their observers`)
    promise(
        "changes of services go to their observers, with an empty list for additions",
        provedBy: InTheLab.Promises.`changes of services and signal strengths go to their observers`)
}

private func values() {
    promise(
        "timeouts count from the start of the attempt, in fractions of seconds",
        provedBy: InTheLab.Connections.`connecting to an absent device times out with its error`)
}

private func errors() {
    promise(
        "the ways in which a connection is missed",
        provedBy: InTheLab.Connections.`connecting to an absent device times out with its error`)
    promise(
        "what the peripheral does not have",
        provedBy: InTheLab.Values.`a missing service and characteristic are errors`,
        InTheLab.Profiles.`a service goes and comes on a write and one has no characteristic`)
    promise(
        "what work is lost to",
        provedBy: InTheLab.Promises.`an immediate disconnect fails what is under way`,
        InTheLab.Promises.`work before a queued disconnect is done and nothing behind it`)
    promise(
        "errors of listening and receiving",
        provedBy: InTheLab.Promises.`listens are trapped or replaced`,
        InTheLab.BackgroundTasks.`a message in unknown pieces is assembled and too much of it is an error`)
}

private func scanning() {
    promise(
        "a scan asks for services, several or all, with or without duplicates",
        provedBy: InTheLab.Discovery.`a scan for the service finds the sensor`,
        InTheLab.Discovery.`a scan for another service does not find it`,
        InTheLab.Discovery.`a scan without a filter finds the sensor by its name`)
    promise(
        "duration",
        provedBy: InTheLab.Promises.`a scan ends after its duration and a second one does not disturb it`)
    promise(
        "what a discovery is answered with",
        provedBy: InTheLab.Promises.`a discovery connects`)
    promise(
        "peripherals expire after 15 seconds",
        provedBy: InTheLab.Promises.`a sensor that is not seen for fifteen seconds expires`)
}

private func connections() {
    promise(
        "an unexpected disconnect fails what is queued and is followed by a connection",
        provedBy: InTheLab.Connections.`the sensor can end the connection and the central reconnects by itself`)
    promise(
        "the disconnect handler decides about connecting again",
        provedBy: InTheLab.Promises.`the disconnect handler decides and listeners hear why`)
}

private func characteristics() {
    promise(
        "reads are decoded",
        provedBy: InTheLab.Values.`the sensor location is written and read back`,
        InTheLab.Profiles.`an ATT error comes the first times or always`,
        InTheLab.Profiles.`an answer can take its time`)
    promise(
        "writes of both types",
        provedBy: InTheLab.Values.`writes without response all arrive before the next request`,
        InTheLab.Values.`the control point refuses what it does not know with its ATT error`)
    promise(
        "requests without an answer fail when the link ends",
        provedBy: InTheLab.Profiles.`a read and a write that get no answer fail when the link ends`,
        InTheLab.Profiles.`the link ends in the middle of a read a write and notifications`)
    promise(
        "listens are trapped or replaced",
        provedBy: InTheLab.Notifications.`heart rates come and decode`)
    promise(
        "the end of a listen",
        provedBy: InTheLab.Notifications.`after end listen nothing arrives and a listen can be installed again`)
    promise(
        "errors are broadcast to listeners if so wanted",
        provedBy: InTheLab.Promises.`the disconnect handler decides and listeners hear why`)
}

private func tasks() {
    promise(
        "blocking reads and writes",
        provedBy: InTheLab.BackgroundTasks.`reads, writes, listens and their ends block`,
        InTheLab.BackgroundTasks.`errors of the peripheral are thrown`)
    promise(
        "blocking listens",
        provedBy: InTheLab.BackgroundTasks.`a peripheral that does not answer holds a task only for its timeout`)
    promise(
        "what is stale is flushed",
        provedBy: InTheLab.BackgroundTasks.`what is stale is flushed`,
        InTheLab.Profiles.`stale notifications come before the ones that are wanted`)
    promise(
        "answers to writes, whole or in pieces",
        provedBy: InTheLab.BackgroundTasks.`requests are answered inside a task`,
        InTheLab.BackgroundTasks.`a message in unknown pieces is assembled and too much of it is an error`)
    promise(
        "a link that drops in the middle of a task",
        provedBy: InTheLab.BackgroundTasks.`a link that drops in the middle ends the task, then everybody hears`)
}

/// Where Bluejay 0.8.9 for iOS departs from its promise. Points 1, 6 and 29 need no peripheral: hashes, taking data
/// apart and calls before the start are proved by unit tests alone.
private func points() {
    point(
        2, "deallocation with a full queue",
        provedBy: InTheLab.ConnectionPromises.`with the last reference everything fails and the link ends`)
    point(
        3, "broadcast at every kind of end",
        provedBy: InTheLab.Promises.`the disconnect handler decides and listeners hear why`)
    point(
        4, "a second start is ignored",
        provedBy: InTheLab.Promises.`the state is handed over and taken back with the link up`)
    point(
        5, "an adopted manager is taken over completely",
        provedBy: InTheLab.Promises.`the state is handed over and taken back with the link up`)
    point(
        7, "one call for a discovery",
        provedBy: InTheLab.ScanPromises.`a discovery is reported once with itself in the list`)
    point(
        8, "a connection from a discovery that fails",
        provedBy: InTheLab.ScanPromises.`a connection from a discovery reports its timeout and its cancellation`)
    point(
        9, "a scan inside stopped",
        provedBy: InTheLab.ScanPromises.`scanning again in stopped finds again`)
    point(
        10, "stop from expired",
        provedBy: InTheLab.Promises.`a sensor that is not seen for fifteen seconds expires`)
    point(
        11, "a second scan",
        provedBy: InTheLab.Promises.`a scan ends after its duration and a second one does not disturb it`)
    point(
        12, "isDisconnecting during a queued disconnect",
        provedBy: InTheLab.ConnectionPromises
            .`a connection is disconnecting from the turn of a queued disconnect to its end`)
    point(
        13, "a timeout is not an unexpected disconnect",
        provedBy: InTheLab.ConnectionPromises.`a timeout is reported once and nobody connects again`)
    point(
        14, "a failed attempt reports once",
        provedBy: InTheLab.ConnectionPromises.`an attempt that the system refuses fails once`)
    point(
        15, "a refused second connect",
        provedBy: InTheLab.ConnectionPromises.`a timeout is reported once and nobody connects again`)
    point(
        16, "work before a queued disconnect, discovery included",
        provedBy: InTheLab.Promises.`work before a queued disconnect is done and nothing behind it`)
    point(
        17, "reading what is listened to",
        provedBy: InTheLab.Promises.`listens are trapped or replaced`)
    point(
        18, "a failed replacement",
        provedBy: InTheLab.CharacteristicPromises.`a replacement that fails leaves the listen`)
    point(
        19, "a listen ended before its installation",
        provedBy: InTheLab.CharacteristicPromises.`a listen that is ended at once stays ended`)
    point(
        20, "whose answer it is",
        provedBy: InTheLab.CharacteristicPromises.`an answer is the one of its service's characteristic`,
        InTheLab.Promises.`cancelling keeps the link and late answers are not taken for later ones`)
    point(
        21, "a blocking listen and a disconnect",
        provedBy: InTheLab.BackgroundTasks.`a link that drops in the middle ends the task, then everybody hears`)
    point(
        22, "clean-up after a task",
        provedBy: InTheLab.TaskPromises.`everybody hears of a lost link even if the task does not mind`)
    point(
        23, "a refused blocking listen",
        provedBy: InTheLab.TaskPromises.`an existing listen refuses a blocking one and goes on until a task ends it`)
    point(
        24, "fractions of seconds",
        provedBy: InTheLab.BackgroundTasks.`a peripheral that does not answer holds a task only for its timeout`)
    point(
        25, "the completion of a blocking endListen",
        provedBy: InTheLab.TaskPromises.`an existing listen refuses a blocking one and goes on until a task ends it`,
        InTheLab.BackgroundTasks.`reads, writes, listens and their ends block`)
    point(
        26, "a flush needs a whole silent window",
        provedBy: InTheLab.BackgroundTasks.`what is stale is flushed`)
    point(
        27, "a failed write ends the listen",
        provedBy: InTheLab.TaskPromises.`a write that fails ends the listen of the answer`)
    point(
        28, "listening on after an assembly",
        provedBy: InTheLab.BackgroundTasks.`requests are answered inside a task`)
    point(
        30, "the warning about services",
        provedBy: InTheLab.ScanPromises.`warnings and names are logged as they are`)
    point(
        31, "log text is literal",
        provedBy: InTheLab.ScanPromises.`warnings and names are logged as they are`)
    point(
        32, "state belongs to the main queue",
        provedBy: InTheLab.TaskPromises.`during a task all else is refused on whichever thread`)
    point(
        33, "a pending disconnect and Bluetooth off",
        provedBy: InTheLab.ConnectionPromises.`a disconnect is reported once when Bluetooth goes off meanwhile`)
    point(
        34, "no confirmation from the system",
        provedBy: InTheLab.ConnectionPromises.`an attempt that is cancelled ends once and the queue goes on`,
        InTheLab.ConnectionPromises.`a disconnect that the system does not confirm ends all the same`)
}
