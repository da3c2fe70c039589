import BluetoothLab
import Testing

/// How many controllers the tests of ``AmongMany`` need.
let manyControllers = 9

/// The root of all tests that need nine controllers, which are of Bluetooth 4.2 in `./lab test`: there the kernel goes
/// on advertising while a central is connected.
///
/// In a lab with fewer controllers and outside of one they are skipped, and say so.
@Suite(
    .serialized, .bluetoothLab(controllers: manyControllers),
    .enabled(
        if: (Lab.current?.controllers.count ?? 0) >= manyControllers,
        "skipped: no lab with nine controllers (./lab test has one)"))
enum AmongMany {}
