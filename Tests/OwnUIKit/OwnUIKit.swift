// What a program has that brought stand-ins for UIKit of its own before it used this package.

public protocol UIApplicationDelegate: AnyObject {
    func applicationDidFinishLaunching()
}

public final class UIApplication: Sendable {
    public static let shared = UIApplication()

    public struct LaunchOptionsKey: Hashable, Sendable {
        public init() {}
    }
}
