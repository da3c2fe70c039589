package import CoreBluetooth
import Foundation
import Posix

/// The system that an agent runs on.
package final class SystemHost: AgentHost {
    private let file: RecordFile
    private let queue: DispatchQueue
    private let print: (String) -> Void

    /// - Parameter print: takes the lines of the log.
    package init(file: RecordFile, queue: DispatchQueue, print: @escaping (String) -> Void) {
        self.file = file
        self.queue = queue
        self.print = print
    }

    package func launch(_ app: AppRecord) throws -> ProcessMark? {
        let registration = app.registration
        var environment = registration.environment
        let identifiers = [registration.identifier]
        environment[LaunchEnvironment.variable] =
            switch registration.role {
            case .peripheral: LaunchEnvironment.options(peripherals: identifiers)
            case .central, nil: LaunchEnvironment.options(centrals: identifiers)
            }
        let app = try LaunchedProgram(
            registration.command, in: registration.folder, environment: environment, group: .session)
        return ProcessMark(running: app.identifier)
    }

    package func isAlive(_ process: ProcessMark) -> Bool { process.isAlive }

    package var now: Double {
        Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }

    package func after(_ seconds: Double, _ action: @escaping () -> Void) -> AnyObject {
        Timer(queue, seconds, action)
    }

    package func save(_ record: RestorationRecord) {
        do throws(SystemError) {
            try file.save(record)
        } catch {
            log("What is to be restored is not on disk: \(error)")
        }
    }

    package func log(_ text: String) { print(text) }

    private final class Timer {
        private let source: any DispatchSourceTimer

        init(_ queue: DispatchQueue, _ seconds: Double, _ action: @escaping () -> Void) {
            source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + seconds)
            source.setEventHandler(handler: action)
            source.activate()
        }

        deinit { source.cancel() }
    }
}
