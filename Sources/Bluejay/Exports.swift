// Programs written for Bluejay on Apple's platforms import Bluejay and CoreBluetooth and use Foundation's types from
// either; CoreBluetooth re-exports Foundation.
@_exported import CoreBluetooth
