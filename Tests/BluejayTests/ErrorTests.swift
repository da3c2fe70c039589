import Testing

@testable import Bluejay

@Suite struct ErrorTests {
    static let all: [BluejayError] = [
        .bluetoothUnavailable, .multipleScanNotSupported, .multipleConnectNotSupported,
        .multipleDisconnectNotSupported, .connectionTimedOut, .notConnected, .missingService(heartRate),
        .missingCharacteristic(measurement), .cancelled, .explicitDisconnect, .unexpectedDisconnect,
        .disconnectQueued, .listenTimedOut, .readFailed, .writeFailed, .missingData,
        .dataOutOfBounds(start: 3, length: 4, count: 5), .unexpectedPeripheral(ErrorTests.peripheral),
        .allowDuplicatesInBackgroundNotSupported, .missingServiceIdentifiersInBackground, .backgroundTaskRunning,
        .multipleBackgroundTaskNotSupported, .indefiniteFlush, .stopped, .backgroundRestorationInProgress,
        .startupBackgroundTaskExpired, .multipleListenTrapped, .multipleListenReplaced,
        .tooMuchData(expected: 6, received: Data(count: 7)),
    ]
    static let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Coffee")

    @Test func `codes are 1 to 29 in the order of the table`() {
        #expect(Self.all.map(\.errorCode) == Array(1...29))
        #expect(Self.all.map { ($0 as NSError).code } == Array(1...29))
    }

    @Test func `the domain is Bluejay`() {
        #expect(BluejayError.errorDomain == "Bluejay")
        #expect((BluejayError.cancelled as NSError).domain == "Bluejay")
    }

    @Test func `every error says something different, and the same everywhere`() {
        #expect(Set(Self.all.compactMap(\.errorDescription)).count == 29)
        for error in Self.all {
            #expect(error.localizedDescription == error.errorDescription)
            #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == error.errorDescription)
            #expect((error as NSError).localizedDescription == error.errorDescription)
        }
    }

    @Test func `descriptions name what the error is about`() throws {
        func text(_ error: BluejayError) throws -> String { try #require(error.errorDescription) }
        #expect(try text(.missingService(heartRate)).contains("180D"))
        #expect(try text(.missingCharacteristic(measurement)).contains("2A37"))
        #expect(try text(.unexpectedPeripheral(Self.peripheral)).contains(Self.peripheral.uuid.uuidString))
        let outOfBounds = try text(.dataOutOfBounds(start: 31, length: 42, count: 53))
        for number in ["31", "42", "53"] { #expect(outOfBounds.contains(number)) }
        let tooMuch = try text(.tooMuchData(expected: 61, received: Data(count: 72)))
        for number in ["61", "72"] { #expect(tooMuch.contains(number)) }
    }

    @Test func `not being started is an error of the same domain, with a number and a sentence of its own`() throws {
        let error = BluejayNotStartedError()
        #expect((error as NSError).domain == "Bluejay")
        #expect((error as NSError).code == 30)
        #expect(error.localizedDescription.contains("start"))
        #expect((error as NSError).localizedDescription == error.errorDescription)
        #expect(!Self.all.map(\.localizedDescription).contains(error.localizedDescription))
    }

    @Test func `errors can be compared as NSErrors`() {
        #expect(BluejayError.missingService(heartRate) as NSError == BluejayError.missingService(heartRate) as NSError)
        #expect(BluejayError.cancelled as NSError != BluejayError.stopped as NSError)
    }
}
