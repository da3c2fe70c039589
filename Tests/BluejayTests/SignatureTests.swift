import Bluejay
import CoreBluetooth
import Testing
import UIKitStandIns

/// Programs written for Bluejay on Apple's platforms rely on these types. They are checked when the tests are compiled,
/// as a client sees them.
@MainActor @Suite struct SignatureTests {
    @Test func `the instance has the calls and properties that programs use`() {
        let _: (LogObserver?) -> Bluejay = Bluejay.init(logObserver:)
        let _: (Bluejay) -> (StartMode) -> Void = Bluejay.start(mode:)
        let _: (Bluejay) -> () -> (manager: CBCentralManager, peripheral: CBPeripheral?) =
            Bluejay.stopAndExtractBluetoothState
        let _: (Bluejay) -> (any Error, Bool) -> Void = Bluejay.cancelEverything(error:shouldDisconnect:)
        let _: KeyPath<Bluejay, UUID> = \.uuid
        let _: KeyPath<Bluejay, WarningOptions> = \.defaultWarningOptions
        let _: ReferenceWritableKeyPath<Bluejay, Bool> = \.broadcastErrorsToListeners
        let states: [KeyPath<Bluejay, Bool>] = [
            \.isBluetoothAvailable, \.isBluetoothStateUpdateImminent, \.isConnecting, \.isConnected,
            \.isDisconnecting, \.shouldAutoReconnect, \.isScanning, \.hasStarted, \.isBackgroundRestorationEnabled,
        ]
        // Only programs can switch the broadcast, and nothing else.
        #expect(states.allSatisfy { !($0 is ReferenceWritableKeyPath<Bluejay, Bool>) })
        let _: any CBCentralManagerDelegate.Type = Bluejay.self
    }

    @Test func `observers are registered and removed`() {
        let _: [(Bluejay) -> (any ConnectionObserver) -> Void] = [
            Bluejay.register(connectionObserver:), Bluejay.unregister(connectionObserver:),
        ]
        let _: [(Bluejay) -> (any RSSIObserver) -> Void] = [
            Bluejay.register(rssiObserver:), Bluejay.unregister(rssiObserver:),
        ]
        let _: [(Bluejay) -> (any ServiceObserver) -> Void] = [
            Bluejay.register(serviceObserver:), Bluejay.unregister(serviceObserver:),
        ]
        let _: [(Bluejay) -> (any LogObserver) -> Void] = [
            Bluejay.register(logObserver:), Bluejay.unregister(logObserver:),
        ]
        let _: (Bluejay) -> (any DisconnectHandler) -> Void = Bluejay.registerDisconnectHandler(handler:)
        let _: (Bluejay) -> () -> Void = Bluejay.unregisterDisconnectHandler
        // All are held weakly, so all are classes.
        let _: (any ConnectionObserver) -> AnyObject = { $0 }
        let _: (any LogObserver) -> AnyObject = { $0 }
        let _: (any BackgroundRestorer) -> any UIApplicationDelegate = { $0 }
        let _: (any ListenRestorer) -> any UIApplicationDelegate = { $0 }
    }

    @Test func `work is asked for with completions`() {
        typealias Discovery = (ScanDiscovery, [ScanDiscovery]) -> ScanAction
        typealias Stopped = ([ScanDiscovery], (any Error)?) -> Void
        let _:
            (Bluejay) -> (
                TimeInterval, Bool, Int, [ServiceIdentifier]?, @escaping Discovery, Discovery?, @escaping Stopped
            ) -> Void = Bluejay.scan
        let _: (Bluejay) -> () -> Void = Bluejay.stopScanning
        let _:
            (Bluejay) -> (PeripheralIdentifier, Timeout, WarningOptions?, @escaping (ConnectionResult) -> Void) -> Void =
                Bluejay.connect
        let _: (Bluejay) -> (Bool, ((DisconnectionResult) -> Void)?) -> Void = Bluejay.disconnect
        let _: (Bluejay) -> (CharacteristicIdentifier, @escaping (ReadResult<String>) -> Void) -> Void = Bluejay.read
        let _:
            (Bluejay) -> (
                CharacteristicIdentifier, UInt8, CBCharacteristicWriteType, @escaping (WriteResult) -> Void
            ) -> Void = Bluejay.write
        let _:
            (Bluejay) -> (
                CharacteristicIdentifier, MultipleListenOption, @escaping (ReadResult<Data>) -> Void
            ) -> Void = Bluejay.listen
        let _: (Bluejay) -> (CharacteristicIdentifier, ((WriteResult) -> Void)?) -> Void = Bluejay.endListen
        let _: (Bluejay) -> (CharacteristicIdentifier) throws -> Bool = Bluejay.isListening
        let _: (Bluejay) -> () throws -> Void = Bluejay.readRSSI
        let _:
            (Bluejay) -> (
                @escaping (SynchronizedPeripheral) throws -> Void, @escaping (RunResult<Void>) -> Void
            ) -> Void = Bluejay.run
        let _:
            (Bluejay) -> (
                @escaping (SynchronizedPeripheral) throws -> Int, @escaping (RunResult<Int>) -> Void
            ) -> Void = Bluejay.run
        let _:
            (Bluejay) -> (
                String, @escaping (SynchronizedPeripheral, String) throws -> Int, @escaping (RunResult<Int>) -> Void
            ) -> Void = Bluejay.run
    }

    @Test func `a task's peripheral has its blocking calls`() {
        typealias Peripheral = SynchronizedPeripheral
        typealias Identifier = CharacteristicIdentifier
        typealias Values = (UInt8) -> ListenAction
        let _: (Peripheral) -> (Identifier) throws -> UInt8 = Peripheral.read
        let _: (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType) throws -> Void = Peripheral.write
        let _: (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType, Identifier) throws -> Data =
            Peripheral.writeAndRead
        let _: (Peripheral) -> (Identifier, Timeout, @escaping Values) throws -> Void = Peripheral.listen
        let _: (Peripheral) -> (Identifier, (any Error)?, ((WriteResult) -> Void)?) throws -> Void =
            Peripheral.endListen
        let _: (Peripheral) -> (Identifier, Timeout, @escaping () -> Void) throws -> Void =
            Peripheral.flushListen(to:nonZeroTimeout:completion:)
        let _:
            (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType, Identifier, Int, @escaping Values) throws ->
                Void = Peripheral.writeAndListen
        let _: (Peripheral) -> (Identifier, UInt8, Identifier, Int, Int, @escaping Values) throws -> Void =
            Peripheral.writeAndAssemble
        let _: (Peripheral) -> (CBCharacteristicWriteType) -> Int = Peripheral.maximumWriteValueLength
        let _: any ConnectionObserver.Type = Peripheral.self
    }

    @Test func `values travel and are named as programs expect`() {
        let _: ([any Sendable]) -> Data = Bluejay.combine(sendables:)
        let _: [any (Sendable & Receivable).Type] = [
            Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
            Data.self, String.self,
        ]
        let _: any Sendable.Type = DataPadding.self
        let _: (Data) -> (Int, Int) throws -> UInt16 = Data.extract(start:length:)
        // Their width would depend on the machine.
        #expect(!(Int.self is any Receivable.Type) && !(UInt.self is any Receivable.Type))
        let _: (String) -> ServiceIdentifier = ServiceIdentifier.init(uuid:)
        let _: (CBUUID) -> ServiceIdentifier = ServiceIdentifier.init(uuid:)
        let _: (CBCharacteristic) -> CharacteristicIdentifier? = CharacteristicIdentifier.init(_:)
        let _: (String, ServiceIdentifier) -> CharacteristicIdentifier = CharacteristicIdentifier.init(uuid:service:)
        let _: (CBUUID, ServiceIdentifier) -> CharacteristicIdentifier = CharacteristicIdentifier.init(uuid:service:)
        let _: (UUID, String?) -> PeripheralIdentifier = PeripheralIdentifier.init(uuid:name:)
        let _: (Bool, Bool, Bool) -> WarningOptions =
            WarningOptions.init(notifyOnConnection:notifyOnDisconnection:notifyOnNotification:)
        let _: (Bool, BackgroundRestoreMode) -> StartOptions =
            StartOptions.init(enableBluetoothAlert:backgroundRestore:)
        let _: (StartOptions) -> StartMode = StartMode.new
        let _: (CBCentralManager, CBPeripheral?) -> StartMode = StartMode.use
        let _: (ScanDiscovery, Timeout, WarningOptions, @escaping (ConnectionResult) -> Void) -> ScanAction =
            ScanAction.connect
        let _:
            (RestoreIdentifier, any BackgroundRestorer, any ListenRestorer, LaunchOptions) -> BackgroundRestoreConfig =
                BackgroundRestoreConfig.init(restoreIdentifier:backgroundRestorer:listenRestorer:launchOptions:)
        let callback: ListenCallback = { (_: ReadResult<Data?>) in }
        callback(.success(nil))
        let _: (CBPeripheral) -> (CBUUID) -> CBService? = CBPeripheral.service(with:)
        let _: (CBService) -> (CBUUID) -> CBCharacteristic? = CBService.characteristic(with:)
        let _: any (LocalizedError & CustomNSError).Type = BluejayError.self
    }
}
