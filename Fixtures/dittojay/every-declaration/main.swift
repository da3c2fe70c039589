// Uses every public declaration of Dittojay with the type that it has: what is missing here or there does not compile.

import CoreBluetooth
import Dittojay

/// A thermometer made in code, with everything that a profile can have.
func thermometer() -> PeripheralProfile {
    let temperature = CharacteristicPath("thermometer", "temperature")
    let control = CharacteristicPath(temperature.service, "control")
    let walk = NotificationPlan.RandomWalk(number: .i16, range: -50...500, step: 3, prefix: [0], seed: 5)
    var counter = NotificationPlan.Counter(number: .u32be, first: 0, step: 2, prefix: [])
    (counter.number, counter.first, counter.step, counter.prefix) = (.u16, IntegerFormat.u16.range.lowerBound, 1, [1])
    let sources: [NotificationPlan.Source] = [
        .constant([1]), .counter(counter), .list([[1], [2]], repeats: true), .randomWalk(walk),
        .heartRate(HeartRateSettings(rateRange: 60...90, interval: 1, rateForms: .uint8, contactDetection: .steady)),
        .simulated,
    ]
    var plan = NotificationPlan(interval: NotificationPlan.possibleIntervals.lowerBound, source: sources[3])
    plan.interval = 0.5
    let encryption: CharacteristicProfile.Encryption = [.read, .write, .notify]
    var format = PresentationFormat(format: 14, exponent: -1, unit: 0x272F)
    (format.format, format.exponent, format.unit) = (14, -2, 0x272F)

    var rules = WriteRules(
        lengths: 1...20, effects: [.store, .echo(to: temperature), .count, .simulated], reactions: [])
    var reaction = WriteReaction(.value([1]), .refuse(attError: 0x80))
    (reaction.match, reaction.outcome) = (.prefix([2]), .play([.chirp([1])]))
    rules.reactions = [reaction, WriteReaction(.any, .play(steps(temperature)))]
    rules.lengths = 0...20
    rules.effects.removeLast()

    var sensor = CharacteristicProfile(
        name: temperature.characteristic, uuid: "2A6E", properties: [.read, .notify], encryption: encryption,
        initialValue: [0, 0], userDescription: "Temperature", presentationFormat: format, reportReference: nil,
        source: .stored, writes: nil, notifications: plan, pieceSizes: 1...20, chirps: false, isQuiet: false,
        faults: faults())
    sensor.encryption = []
    (sensor.authentication, sensor.secureConnections) = ([.read], [.notify])
    sensor.source = .writeCount(of: control)
    sensor.source = .psm(of: "log")
    sensor.source = .simulated
    var report = ReportReference(id: 1, kind: .input)
    (report.id, report.kind) = (2, [.output, .feature][0])
    sensor.reportReference = report
    let controlPoint = CharacteristicProfile(
        name: control.characteristic, uuid: "2A9F", properties: [.write, .writeWithoutResponse], writes: rules)
    let service = ServiceProfile(
        name: temperature.service, uuid: "181A", isPrimary: true, isAdvertised: true, isPublished: true,
        characteristics: [sensor, controlPoint], standard: nil)
    let standard = StandardService.allCases.map(\.profile) + [StandardService.glucose.advertised]
    var beacon = EddystoneBeacon(interval: 1, url: "https://example.com/")
    (beacon.interval, beacon.url) = (2, "https://example.org/")
    let advertisement = ExtraAdvertisement(
        manufacturers: [.init(company: 0xFFFF, data: [1])], serviceData: ["181A": [1, 2]], appearance: 768,
        eddystone: beacon)
    var profile = PeripheralProfile(
        name: "thermometer", localName: "Thermometer", advertisement: advertisement,
        services: [service, .heartRate, .chirp, .pairing, .lab, .nordicUART] + standard, scenario: steps(temperature),
        recording: nil, channels: [])
    profile.channels = channels()
    profile.recording = recording(temperature)
    var pairing = PairingProfile(.keyboard, passkey: CBPasskey("012345"))
    (pairing.capability, pairing.passkey) = (.display, nil)
    profile.pairing = pairing
    profile.services[0].standard = StandardService(rawValue: "battery")
    profile.services += PeripheralProfile.standard.flatMap(\.services)
    profile.changeHeartRates { settings in
        settings.rateRange = HeartRateSettings.possibleRates
        settings.interval = HeartRateSettings.possibleIntervals.upperBound
        settings.rateForms = .mixed
        settings.contactDetection = .varying
    }
    return profile
}

func channels() -> [ChannelProfile] {
    var channel = ChannelProfile(
        name: "log", psm: ChannelProfile.possiblePSMs.lowerBound, isEncrypted: false, mode: .echo)
    (channel.name, channel.psm, channel.isEncrypted) = ("echo", nil, true)
    print(channel.description)
    let modes: [ChannelProfile.Mode] = [.counter(byteCount: 4), .discard, .stall, .file(path: "log.bin")]
    return modes.map { mode in
        channel.mode = mode
        return channel
    }
}

func recording(_ path: CharacteristicPath) -> Recording {
    var value = Recording.Value(time: Recording.possibleTimes.lowerBound, characteristic: path, bytes: [1])
    (value.time, value.characteristic, value.bytes) = (1.5, path, [2])
    var recording = Recording(values: [value], pace: Recording.possiblePaces.upperBound, repeats: true)
    (recording.values, recording.pace, recording.repeats) = ([value], 2, false)
    print(recording, recording.duration, Recording.startDelay, Recording.shortestRound, Recording.possibleCounts)
    return recording
}

func steps(_ path: CharacteristicPath) -> [ScenarioStep] {
    [
        .wait(ScenarioStep.possibleWaits.lowerBound), .waitFor(.subscribed, on: path),
        .waitFor(.connected, on: nil), .send(on: path, values: [[1], [2]], interval: 1), .set(path, [1]), .chirp([1]),
        .burst(count: 10, size: 20, rate: nil), .addService(nil), .removeService("chirp"), .disconnect,
        .fault(path, Fault(on: .read, .noAnswer)), .clearFaults(nil), .resetCount(path), .resetEnergy(path),
        .repeat(times: ScenarioStep.possibleRepetitions.lowerBound, [.quit]), .quit, .advertise(false), .power(true),
        .silence(1),
        .expect(expectation(path)),
    ]
}

func expectation(_ path: CharacteristicPath) -> ScenarioExpectation {
    var event = ScenarioExpectation.Event(
        .written, on: path, value: .any, attError: nil, times: ScenarioExpectation.Event.possibleTimes.lowerBound)
    (event.occasion, event.characteristic, event.attError, event.times) = (.read, nil, 0x80, 2)
    do throws(BytePattern.ParsingError) {
        let pattern = try BytePattern("hex:01 ?? *")
        event.value = .pattern(pattern)
        print(pattern, pattern.matches([1, 2]))
    } catch {
        print(error.description)
    }
    var expectation = ScenarioExpectation(
        [event], order: .any, isForbidden: false, within: ScenarioExpectation.defaultLimit, title: nil)
    (expectation.order, expectation.isForbidden, expectation.limit, expectation.title) = (.given, true, 1, "silent")
    print(expectation, expectation.events, ScenarioExpectation.Order.allCases.map(\.rawValue))
    return expectation
}

func faults() -> [Fault] {
    var fault = Fault(on: .notify, .drop, skip: Fault.possibleCounts.lowerBound, times: nil)
    (fault.trigger, fault.action, fault.skip, fault.times) = (.read, .error(0x80), 1, 2)
    fault.chance = Fault.possibleChances.upperBound
    return [
        fault, Fault(on: .subscribe, .flood(count: Fault.possibleFloods.lowerBound, value: nil)),
        Fault(on: .write, .delay(Fault.possibleDelays.lowerBound)), Fault(on: .write, .disconnect),
        Fault(on: .notify, .duplicate, chance: 5), Fault(on: .read, .resize(Fault.possibleSizes.upperBound)),
    ]
}

/// Runs a peripheral until a central has subscribed.
func run(_ profile: PeripheralProfile) {
    let queue = DispatchQueue(label: "sensor")
    var options = VirtualPeripheral.Options(
        adapter: "hci1", localName: "Sensor", seed: 7, controlSocket: ControlSocketAddress(path: "/tmp/sensor.sock"))
    (options.adapter, options.localName, options.seed, options.controlSocket) = (nil, nil, 1, nil)
    let peripheral = VirtualPeripheral(profile: profile, options: options, queue: queue)
    queue.sync {
        peripheral.onReady = { print(peripheral.localName, "advertises", peripheral.profile.name, peripheral.options) }
        peripheral.onEvent = { event in
            show(event)
            if event.kind == .subscribed { peripheral.queue.async { peripheral.stop() } }
        }
        peripheral.onEnd = { (error: DittojayError?) in
            print(error?.description ?? "stopped")
            if let report: ScenarioReport = peripheral.scenarioReport {
                print(report.name, report.hasPassed, report.summary, report.text, report.junit)
            }
        }
        peripheral.start()
        show(peripheral.status)
        for request in requests() { peripheral.perform(request) { show($0) } }
    }
}

func show(_ event: PeripheralEvent) {
    let central: PeripheralEvent.Central? = event.central
    let channel: (String?, Int?, Int?, Int?) = (event.channel, event.psm, event.received, event.sent)
    print(channel)
    print(event.text, event.kind.rawValue, central?.address ?? "", central?.mtu ?? 0, event.service ?? "")
    print(event.characteristic ?? "", event.value ?? Data(), event.attError ?? 0, event.message ?? "")
    print(event.profile ?? "", event.seed ?? 0, event.socket ?? "")
    print(event.original ?? Data(), event.device ?? "", event.deviceSeconds ?? 0)
    print(event.peripheral ?? "", event.passkey ?? "")
    print(central == PeripheralEvent.Central(address: "C0:00:00:00:00:02", mtu: 23))
}

func requests() -> [ControlRequest] {
    [
        .version, .peripherals, .status, .characteristics, .signal, .events, .chirp([1]),
        .set(characteristic: "temperature", value: [1]),
        .send(characteristic: "temperature", value: [1]), .burst(count: 10, size: 20, rate: 5), .addService("chirp"),
        .removeService(nil), .disconnect(central: nil),
        .addFault(characteristic: "temperature", Fault(on: .read, .error(0x80))),
        .clearFaults(characteristic: nil), .advertise(true), .power(false), .silence(1), .confirm(true), .quit,
    ] + [CBPasskey("012345")].compactMap(\.self).map(ControlRequest.passkey)
}

func show(_ reply: ControlReply) {
    print(reply.ok, reply.error ?? "", reply.protocolVersion == ControlRequest.protocolVersion)
    print(reply.subscribers ?? 0, reply.sent ?? 0, reply.waits ?? 0, reply.seconds ?? 0, reply.disconnected ?? [])
    if let status = reply.status { show(status) }
    for peripheral: ControlReply.Peripheral in reply.peripherals ?? [] {
        print(peripheral.id, peripheral.adapter ?? "", peripheral.name, peripheral.profile)
    }
}

func show(_ status: PeripheralStatus) {
    print(status.pid, status.uptime, status.profile, status.name, status.adapter, status.address, status.state)
    print(status.isAdvertising, status.seed, status.notifications, status.reads, status.writes)
    print(status.droppedLines ?? 0)
    if let device: PeripheralStatus.Device = status.device {
        print(device.name ?? "", device.address ?? "", device.adapter ?? "", device.isConnected)
    }
    for service in status.services { print(service.name, service.uuid, service.isPublished) }
    for fault in status.faults { print(fault.characteristic, fault.fault) }
    for central in status.centrals { print(central.address, central.mtu ?? 0, central.subscriptions) }
    if let heart: PeripheralStatus.HeartRate = status.heartRate {
        print(heart.rate, heart.hasContact, heart.energyExpended)
    }
}

/// Reads a profile and a scenario from files, or says everything that is wrong with them.
func profile(path: String, scenario: String) -> PeripheralProfile? {
    do throws(ProfileFileError) {
        let content: ProfileFile.Content<PeripheralProfile> = try ProfileFile.read(path: path)
        var profile = content.value
        for warning in content.warnings { print(warning.keyPath, warning.message) }
        profile.scenario = try ProfileFile.readScenario(path: scenario, for: profile).value
        profile.services += try ProfileFile.parse("{}", file: "text", defaultName: "empty").value.services
        profile.scenario += try ProfileFile.parseScenario("[]", file: "text", for: profile).value
        return profile
    } catch {
        for mistake in error.all { print(mistake.file, mistake.line ?? 0, mistake.column ?? 0, mistake.description) }
        print(error.others.count)
        return nil
    }
}

/// Commands a dittojay that runs in another process.
func command(_ socket: ControlSocketAddress) throws {
    do throws(DittojayError) {
        show(try ControlClient.send(.chirp([1]), to: socket))
        show(try ControlClient.send(.chirp([1]), to: socket, peripheral: "hci1"))
    } catch {
        switch error {
        case .notRunning(let socket), .alreadyRunning(let socket): print("nothing at", socket)
        case .bluetoothUnavailable(let reason), .noAdapter(let reason), .adapterUnusable(let reason),
            .refused(let reason), .controlSocket(let reason), .scenarioFailed(let reason),
            .reportNotWritten(let reason), .deviceUnavailable(let reason), .wrongUsage(let reason):
            print(reason)
        }
    }
    try ControlClient.follow(socket, peripheral: nil) { line in
        if let event = PeripheralEvent(line: line) { show(event) }
    }
}

let arguments = CommandLine.arguments
if arguments.count > 2, let profile = profile(path: arguments[1], scenario: arguments[2]) {
    run(profile)
} else if arguments.count > 1 {
    try command(ControlSocketAddress(path: arguments[1]))
} else {
    run(PeripheralProfile.builtIn(named: "lab") ?? PeripheralProfile.builtIn.first ?? .default)
    run(thermometer())
    run(.lab)
    print(thermometer().services.flatMap(\.characteristics).map(\.name), Fault.maximumCount)
    dispatchMain()
}
