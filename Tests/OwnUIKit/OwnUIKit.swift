// The stand-ins for UIKit of a program that had its own before it used this package.

public protocol UIApplicationDelegate: AnyObject {
    func applicationDidFinishLaunching()
}

public final class UIApplication: Sendable {
    public static let shared = UIApplication()

    public struct LaunchOptionsKey: Hashable, Sendable {
        public init() {}
    }
}
