/// Diffie-Hellman keys of P-256. Hosts that compute them themselves, as Linux does, do not need it. (Core
/// Specification, Vol 4 Part E, 7.8.36, 7.8.37)
extension Controller {
    static let keyGenerationCommands = [
        Command(0x2025, length: 0, supported: (34, 1), answer: .status, readLocalPublicKey),
        Command(0x2026, length: 64, supported: (34, 2), answer: .status, generateSharedKey),
    ]

    /// The order of the generator.
    private static let order: SIMD4<UInt64> = [
        0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000,
    ]

    /// Makes new keys.
    private func readLocalPublicKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        var secret = SIMD4<UInt64>.zero
        repeat {
            for place in 0..<4 { secret[place] = random.next() }
        } while secret == .zero || !FieldElement.isLess(secret, Self.order)
        secretKey = secret
        return Reply(then: { [self] in
            guard let event = begin(.readLocalPublicKeyComplete) else { return }
            let key = P256.multiply(P256.generator, secret) ?? P256.generator
            event.add(ErrorCode.success)
            for coordinate in [key.x, key.y] { event.add(coordinate.words) }
            send(event)
        })
    }

    private func generateSharedKey(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        guard let secretKey else { throw .commandDisallowed }
        let x = try coordinate(parameters, 0)
        let y = try coordinate(parameters, 32)
        let peer = P256.Point(x: x, y: y)
        guard peer.isOnCurve else { throw .invalidParameters }
        return Reply(then: { [self] in
            guard let event = begin(.generateSharedKeyComplete) else { return }
            let shared = P256.multiply(peer, secretKey) ?? peer
            event.add(ErrorCode.success)
            event.add(shared.x.words)
            send(event)
        })
    }

    private func coordinate(_ parameters: Parameters, _ place: Int) throws(ErrorCode) -> FieldElement {
        var words = FieldElement.Words.zero
        for word in 0..<4 { words[word] = parameters.bits64(place + 8 * word) }
        guard FieldElement.isLess(words, FieldElement.prime) else { throw .invalidParameters }
        return FieldElement(words)
    }
}

extension PacketWriter {
    /// The least significant byte first.
    fileprivate func add(_ words: FieldElement.Words) {
        for place in 0..<4 { add(words[place], bytes: 8) }
    }
}
