import BlueZ
import DBus
import MainLoop

/// A published characteristic and its subscribers.
@LoopActor
final class CharacteristicLink {
    let plan: CharacteristicPlan
    let local: LocalCharacteristic
    nonisolated let key: ObjectIdentifier
    /// Those that were published earlier have lower numbers.
    let number: Int

    /// The centrals that are known to be subscribed.
    var subscribers: [RemoteCentral] = []
    /// Bonded centrals that disconnected while subscribed: bluetoothd keeps their subscription, and they are subscribed
    /// again as soon as they are connected (Core Specification, Vol 3, Part G, 3.3.3.3).
    var absentSubscribers: [ObjectPath: EndedSubscription] = [:]
    /// The centrals whose subscriptions bluetoothd has ended last, disconnected or not.
    var endedSubscriptions: [ObjectPath: EndedSubscription] = [:]
    /// Runs while it is uncertain whether a central is subscribed that bluetoothd has not reported.
    var succession: LoopSource?
    /// Runs while bluetoothd has a socket for a central that has disconnected.
    var socketEnd: LoopSource?
    /// What is uncertain about the sockets that have ended last, while it is (PeripheralCore+SocketEnds.swift). Nothing
    /// is sent meanwhile.
    var uncertainEnds: UncertainEnds?
    /// Counts the periods in which somebody was subscribed.
    var generation = 0
    /// What the app was asked, as long as it may answer.
    private var questions: [WeakAnswer] = []

    /// Whether values go out.
    var hasReceivers: Bool { !subscribers.isEmpty || succession != nil }

    init(_ plan: CharacteristicPlan, number: Int) {
        self.plan = plan
        self.number = number
        key = ObjectIdentifier(plan.characteristic)
        local = LocalCharacteristic(
            uuid: plan.uuid, flags: plan.flags,
            descriptors: plan.descriptors.map { descriptor in
                let local = LocalDescriptor(uuid: descriptor.uuid, flags: .read)
                local.onRead = { $0.reply(part: descriptor.value) }
                return local
            })
    }

    /// The app is asked for an answer.
    func ask(for answer: PendingAnswer) {
        questions.removeAll { $0.answer == nil }
        questions.append(WeakAnswer(answer: answer))
    }

    /// Refuses what the app has not answered. bluetoothd gives no answer to a central when the characteristic is
    /// removed before it has one, and the central ends the link when it has waited for 30 s (5.66, `write_reply_cb` in
    /// src/gatt-database.c).
    func refuseOpenRequests() {
        let open = questions
        questions = []
        for question in open { question.answer?.withdraw() }
    }
}

private struct WeakAnswer {
    weak var answer: PendingAnswer?
}

/// A subscription that bluetoothd reported as ended, or whose central disconnected.
struct EndedSubscription {
    /// The MTU that the central's link had.
    let mtu: Int
    let time: ContinuousClock.Instant

    func isRecent(at now: ContinuousClock.Instant, within spread: Duration) -> Bool { now - time < spread }
}

/// A connected central.
@LoopActor
final class RemoteCentral {
    let path: ObjectPath
    nonisolated let central: CBCentral
    var mtu: Int

    init(path: ObjectPath, central: CBCentral, mtu: Int) {
        self.path = path
        self.central = central
        self.mtu = mtu
    }
}

extension LocalRequest {
    /// Answers a read with what `value` holds from the requested offset on.
    func reply(part value: Data) {
        guard context.offset <= value.count else {
            return fail(attError: UInt8(CBATTError.Code.invalidOffset.rawValue))
        }
        reply(value.dropFirst(context.offset))
    }
}

extension LocalCharacteristic {
    /// Starts refusing requests, and stops reporting subscriptions.
    func ignoreRequests() {
        onRead = nil
        onWrite = nil
        onSubscribe = nil
        onUnsubscribe = nil
        onReadyToNotify = nil
    }
}
