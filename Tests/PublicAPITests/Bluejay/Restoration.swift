import Bluejay
import Foundation
import UIKitStandIns

private func modes(_ mode: BackgroundRestoreMode) {
    switch mode {
    case .disable: break
    case .enable(let config): let _: BackgroundRestoreConfig = config
    }
    let _: (RestoreIdentifier, any BackgroundRestorer, any ListenRestorer, LaunchOptions) -> BackgroundRestoreConfig =
        BackgroundRestoreConfig.init(restoreIdentifier:backgroundRestorer:listenRestorer:launchOptions:)
    let _: KeyPath<BackgroundRestoreConfig, RestoreIdentifier> = \.restoreIdentifier
    let _: KeyPath<BackgroundRestoreConfig, any BackgroundRestorer> = \.backgroundRestorer
    let _: KeyPath<BackgroundRestoreConfig, any ListenRestorer> = \.listenRestorer
    let _: KeyPath<BackgroundRestoreConfig, LaunchOptions> = \.launchOptions
    let _: KeyPath<BackgroundRestoreConfig, [String]?> = \.centralKeys
    let _: KeyPath<BackgroundRestoreConfig, Bool> = \.isRestoringFromBackground
    let _: RestoreIdentifier.Type = String.self
    let _: LaunchOptions.Type = [UIApplication.LaunchOptionsKey: Any]?.self
    let _: LaunchOptions = Bluejay.launchOptions
}

private func restorers(
    _ restorer: any BackgroundRestorer, _ listens: any ListenRestorer, _ completion: BackgroundRestoreCompletion,
    _ action: ListenRestoreAction
) {
    let _: [any UIApplicationDelegate] = [restorer, listens]
    let _: (PeripheralIdentifier) -> BackgroundRestoreCompletion = restorer.didRestoreConnection(to:)
    let _: (PeripheralIdentifier, any Error) -> BackgroundRestoreCompletion =
        restorer.didFailToRestoreConnection(to:error:)
    let _: (PeripheralIdentifier, CharacteristicIdentifier, Data?) -> ListenRestoreAction =
        listens.didReceiveUnhandledListen(from:on:with:)
    switch completion {
    case .callback(let callback): let _: () -> Void = callback
    case .continue: break
    }
    switch action {
    case .promiseRestoration, .stopListen: break
    }
}

private func standIns(_ delegate: any UIApplicationDelegate) {
    let _: AnyObject = delegate
    let _: any (RawRepresentable & Hashable & Swift.Sendable).Type = UIApplication.LaunchOptionsKey.self
    let _: (String) -> UIApplication.LaunchOptionsKey = UIApplication.LaunchOptionsKey.init(rawValue:)
    let _: KeyPath<UIApplication.LaunchOptionsKey, String> = \.rawValue
    let _: [UIApplication.LaunchOptionsKey] = [.bluetoothCentrals, .bluetoothPeripherals]
}
