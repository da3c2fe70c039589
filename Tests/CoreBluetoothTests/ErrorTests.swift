import CoreBluetooth
import Testing

/// Every way in which programs test errors, without access to the module's internals.
@Suite struct ErrorTests {
    let lost: any Error = CBError(.connectionTimeout)
    let refused: any Error = CBATTError(.insufficientEncryption)

    @Test func `an error has its domain and code as an NSError`() {
        #expect((lost as NSError).domain == CBErrorDomain)
        #expect((lost as NSError).code == 6)
        #expect((refused as NSError).domain == CBATTErrorDomain)
        #expect((refused as NSError).code == 0x0F)
        #expect(CBErrorDomain == "CBErrorDomain")
        #expect(CBATTErrorDomain == "CBATTErrorDomain")
        #expect(CBError.errorDomain == CBErrorDomain)
        #expect(CBATTError.errorDomain == CBATTErrorDomain)
    }

    @Test func `a code can be made from the NSError's number`() {
        #expect(CBError.Code(rawValue: (lost as NSError).code) == .connectionTimeout)
        #expect(CBATTError.Code(rawValue: (refused as NSError).code) == .insufficientEncryption)
    }

    @Test func `an error casts to its type and to no other`() {
        #expect((lost as? CBError)?.code == .connectionTimeout)
        #expect((lost as? CBATTError) == nil)
        #expect((refused as? CBATTError)?.code == .insufficientEncryption)
        #expect((refused as? CBError) == nil)
        #expect((refused as? CBATTError)?.errorCode == 0x0F)
    }

    @Test func `catch matches one code`() throws {
        func name(of error: any Error) throws -> String {
            do {
                throw error
            } catch CBATTError.insufficientEncryption {
                return "insufficientEncryption"
            } catch CBError.connectionTimeout {
                return "connectionTimeout"
            } catch let error as CBError where error.code == .alreadyAdvertising {
                return "alreadyAdvertising"
            } catch is CBError {
                return "CBError"
            }
        }
        #expect(try name(of: refused) == "insufficientEncryption")
        #expect(try name(of: lost) == "connectionTimeout")
        #expect(try name(of: CBError(.alreadyAdvertising)) == "alreadyAdvertising")
        #expect(try name(of: CBError(.notConnected)) == "CBError")
        #expect(throws: CBATTError(.readNotPermitted)) { try name(of: CBATTError(.readNotPermitted)) }
    }

    @Test func `a switch matches codes, of the error and of its code`() {
        func matchesError(_ error: any Error) -> Bool {
            switch error {
            case CBError.connectionTimeout: true
            default: false
            }
        }
        func matchesCode(_ error: CBError) -> Bool {
            switch error.code {
            case .connectionTimeout, .peripheralDisconnected: true
            default: false
            }
        }
        #expect(matchesError(lost) && !matchesError(refused) && !matchesError(CBError(.unknown)))
        #expect(matchesCode(CBError(.peripheralDisconnected)) && !matchesCode(CBError(.unknown)))
    }

    @Test func `errors are equal if code and information are`() {
        #expect(CBError(.unknown) == CBError(.unknown))
        #expect(CBError(.unknown) != CBError(.notConnected))
        #expect(Set([CBATTError(.invalidOffset), CBATTError(.invalidOffset)]).count == 1)
    }

    @Test func `every error describes itself`() {
        for number in 0...18 {
            guard let code = CBError.Code(rawValue: number) else {
                Issue.record("CBError has no code \(number)")
                continue
            }
            let error: any Error = CBError(code)
            #expect(error.localizedDescription.hasSuffix("."))
        }
        for number in 0...0xFF {
            guard let code = CBATTError.Code(rawValue: number) else {
                Issue.record("CBATTError has no code \(number)")
                continue
            }
            let error: any Error = CBATTError(code)
            #expect(error.localizedDescription.hasSuffix("."))
        }
    }

    @Test func `information given by the caller is kept and wins`() {
        let underlying = NSError(domain: "test", code: 1)
        let error = CBError(
            .unknown, userInfo: [NSLocalizedDescriptionKey: "own words", NSUnderlyingErrorKey: underlying])
        #expect(error.localizedDescription == "own words")
        #expect((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError == underlying)
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == "own words")
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "own words")
    }

    @Test(
        arguments: [
            (CBError.Code.unknown, 0), (.invalidParameters, 1), (.invalidHandle, 2), (.notConnected, 3),
            (.outOfSpace, 4), (.operationCancelled, 5), (.connectionTimeout, 6), (.peripheralDisconnected, 7),
            (.uuidNotAllowed, 8), (.alreadyAdvertising, 9), (.connectionFailed, 10), (.connectionLimitReached, 11),
            (.unknownDevice, 12), (.operationNotSupported, 13), (.peerRemovedPairingInformation, 14),
            (.encryptionTimedOut, 15), (.tooManyLEPairedDevices, 16),
            (.leGattExceededBackgroundNotificationLimit, 17), (.leGattNearBackgroundNotificationLimit, 18),
        ]) func `codes have Apple's numbers`(code: CBError.Code, number: Int)
    {
        #expect(code.rawValue == number)
        #expect(CBError.Code(rawValue: number) == code)
        #expect(CBError(code).errorCode == number)
    }

    @Test(
        arguments: [
            (CBATTError.Code.success, 0x00), (.invalidHandle, 0x01), (.readNotPermitted, 0x02),
            (.writeNotPermitted, 0x03), (.invalidPdu, 0x04), (.insufficientAuthentication, 0x05),
            (.requestNotSupported, 0x06), (.invalidOffset, 0x07), (.insufficientAuthorization, 0x08),
            (.prepareQueueFull, 0x09), (.attributeNotFound, 0x0A), (.attributeNotLong, 0x0B),
            (.insufficientEncryptionKeySize, 0x0C), (.invalidAttributeValueLength, 0x0D), (.unlikelyError, 0x0E),
            (.insufficientEncryption, 0x0F), (.unsupportedGroupType, 0x10), (.insufficientResources, 0x11),
            (.databaseOutOfSync, 0x12), (.valueNotAllowed, 0x13), (.writeRequestRejected, 0xFC),
            (.clientCharacteristicConfigurationImproper, 0xFD), (.procedureAlreadyInProgress, 0xFE),
            (.outOfRange, 0xFF),
        ]) func `ATT codes have the specification's numbers`(code: CBATTError.Code, number: Int)
    {
        #expect(code.rawValue == number)
        #expect(CBATTError.Code(rawValue: number) == code)
        #expect(CBATTError(code).errorCode == number)
    }

    @Test(arguments: [0x14, 0x80, 0x81, 0x9F, 0xA0, 0xE0, 0xFB, -1, 0x1_0000])
    func `any number can be an ATT code and survives the way through an error`(number: Int) throws {
        let code = try #require(CBATTError.Code(rawValue: number))
        #expect(code.rawValue == number)
        #expect(code == CBATTError.Code(rawValue: number))
        #expect(code != .success)
        let error: any Error = CBATTError(code)
        #expect((error as NSError).code == number)
        #expect((error as? CBATTError)?.code.rawValue == number)
        if case .unlisted(let unlisted) = code { #expect(unlisted.rawValue == number) } else { Issue.record("named") }
    }

    @Test func `a switch over ATT codes may be written as for Apple's`() {
        func name(_ code: CBATTError.Code) -> String {
            switch code {
            case .success: "success"
            case .invalidOffset: "invalid offset"
            case CBATTError.Code(rawValue: 0x80): "application error"
            default: "other"
            }
        }
        func kind(_ code: CBError.Code) -> String {
            switch code {
            case .connectionTimeout: "timeout"
            case CBError.connectionFailed: "failed"
            default: "other"
            }
        }
        #expect(kind(.connectionFailed) == "failed")
        #expect(name(.success) == "success")
        #expect(name(CBATTError.Code(rawValue: 0x80)!) == "application error")
        #expect(name(CBATTError.Code(rawValue: 0x81)!) == "other")
    }
}
