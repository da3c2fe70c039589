import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

@Suite struct SystemHostTests {
    @Test(arguments: ["Herzfrequenz-für", "a) Z (b", "two\nlines"])
    func `a program that was started is known to run, whatever its name`(name: String) throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent(name)
        let shell = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath()
        try FileManager.default.copyItem(at: shell, to: program)
        let host = SystemHost(file: RecordFile(folder: folder.path), queue: DispatchQueue(label: "host")) { _ in }
        var registration = AppRegistration.app()
        // It stops by itself, and goes on when it is killed.
        registration.command = [program.path, "-c", "kill -STOP $$"]
        let process = try #require(try host.launch(AppRecord(registration: registration, process: nil)))
        #expect(host.isAlive(process))
        kill(process.identifier, SIGKILL)
        waitpid(process.identifier, nil, 0)
        #expect(!host.isAlive(process))
    }
}
