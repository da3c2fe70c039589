/// One step of what a peripheral does by itself: in a scenario, or in reaction to a write.
public indirect enum ScenarioStep: Hashable, Swift.Sendable {
    /// Lets this many seconds pass.
    case wait(Double)
    /// Waits until something happens. If a central is connected or subscribed already, that is not waited for.
    case waitFor(Occasion, on: CharacteristicPath?)
    /// Waits until centrals have done something, or for the time in which they must not. If they do not do as is
    /// expected, the scenario has failed, and ends. For scenarios, not for reactions to writes.
    case expect(ScenarioExpectation)
    /// Sends values to the subscribers of a characteristic, with `interval` seconds between two.
    case send(on: CharacteristicPath, values: [[UInt8]], interval: Double)
    /// Set the characteristic's value.
    case set(CharacteristicPath, [UInt8])
    /// Sends a value on the characteristic that chirps.
    case chirp([UInt8])
    /// Sends many numbered values on the characteristic that chirps, `rate` in a second, as fast as possible if nil.
    case burst(count: Int, size: Int, rate: Double?)
    /// Publishes a service, by its name; all that are not published if nil.
    case addService(String?)
    /// Withdraws a service, by its name; all if nil.
    case removeService(String?)
    /// Ends the connections of all centrals.
    case disconnect
    /// Stops or resumes advertising.
    case advertise(Bool)
    /// For this many seconds nothing is sent, and requests wait for their answers. The next step does not wait.
    case silence(Double)
    /// Switches the controller off or on.
    case power(Bool)
    /// Inject this fault.
    case fault(CharacteristicPath, Fault)
    /// Clears the injected faults of a characteristic, of all of them if nil.
    case clearFaults(CharacteristicPath?)
    /// A count of writes starts again at zero.
    case resetCount(CharacteristicPath)
    /// The energy that a simulated heart has spent starts again at zero.
    case resetEnergy(CharacteristicPath)
    /// Plays steps several times.
    case `repeat`(times: Int, [ScenarioStep])
    /// Ends the peripheral.
    case quit

    /// What a step can wait for.
    public enum Occasion: String, CaseIterable, Hashable, Swift.Sendable {
        case connected, disconnected, subscribed, unsubscribed, read, written
    }

    /// The limits of ``wait(_:)``, of ``ScenarioExpectation/limit`` and of the interval of
    /// ``send(on:values:interval:)``, in seconds.
    public static let possibleWaits = 0.0...86_400.0
    /// How often steps can be repeated.
    public static let possibleRepetitions = 1...1_000_000
}
