import BluetoothLab

extension LabRadio.Scene {
    /// Two devices in real air, a metre from each other: what they send arrives up to some distance.
    static let hallway = text(
        """
        air: real
        seed: 3
        path-loss: {at-1-m: -59 dBm, exponent: 2.2, deviation: 0 dB}
        devices:
          sensor: {controller: hci0, at: [0 m, 0 m]}
          phone: {controller: hci1, at: [1 m, 0 m]}
        """)
}
