import Bluejay
import Logging

// Before anything is logged: a logger keeps the handler that it was made with.
LoggingSystem.bootstrap { label in
    var handler = StreamLogHandler.standardError(label: label)
    handler.logLevel = label == "bluejay.dbus" ? .trace : .debug
    return handler
}

let bluejay = Bluejay()
bluejay.start()
for try await discovery in bluejay.scan(duration: 10, serviceIdentifiers: nil).discoveries {
    print("found \(discovery.peripheralIdentifier.name)")
    break
}
