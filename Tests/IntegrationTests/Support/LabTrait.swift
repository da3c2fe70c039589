import BluetoothLab
import Testing

/// The root of all tests that need the lab. They share its controllers, hence one after another.
///
/// Outside of the lab they are skipped, and say so; inside of it nothing is skipped.
@Suite(.serialized, .bluetoothLab)
enum InTheLab {}
