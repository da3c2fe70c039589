import Glibc

/// How many packets get lost at which signal strength.
///
/// The bit error rate is Q(√SNR), over the noise of the receiver's bandwidth and its noise figure; a packet with one
/// wrong bit is lost.
enum PacketErrors {
    /// In dB.
    private static let noiseFigure = 6.0
    /// Of S8 coding, in dB.
    private static let codingGain = 9.0
    /// Thermal noise at 290 K, in dBm for each hertz, and for 1.1 MHz and 2.5 MHz.
    private static let noiseDensity = -173.975
    private static let noise1M = noiseDensity + 10 * log10(1.1e6)
    private static let noise2M = noiseDensity + 10 * log10(2.5e6)

    /// The part of packets with a payload of this many bytes that is lost, from 0 to 1.
    ///
    /// - Parameter noise: beside the thermal noise, in milliwatts in the receiver's channel.
    static func rate(strength: Double, _ phy: PHY, payload: Int, noise: Double = 0) -> Double {
        var floor = (phy == .le2M ? noise2M : noise1M) + noiseFigure  // in dBm
        if noise > 0 { floor = 10 * log10(pow(10, floor / 10) + noise) }
        let ratio = strength - floor + (phy == .coded ? codingGain : 0)  // in dB
        // Beyond, less than one packet of a million is lost, and the functions below need not be computed.
        guard ratio < 17 else { return 0 }
        let bitErrors = 0.5 * erfc(sqrt(pow(10, ratio / 10) / 2))
        return 1 - pow(1 - bitErrors, Double(8 * (payload + overhead)))
    }

    /// Preamble, access address, header and CRC.
    private static let overhead = 1 + 4 + 2 + 3
}
