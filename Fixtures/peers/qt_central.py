#!/usr/bin/env python3
"""A central made with QtBluetooth by PySide6, as Qt's low-energy examples are: signals on an event loop."""

import sys

import walk
from PySide6.QtBluetooth import (
    QBluetoothAddress,
    QBluetoothDeviceDiscoveryAgent,
    QBluetoothUuid,
    QLowEnergyController,
    QLowEnergyService,
)
from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QTimer

HEART_RATE = QBluetoothUuid(QBluetoothUuid.ServiceClassUuid.HeartRate)
MEASUREMENT = QBluetoothUuid(QBluetoothUuid.CharacteristicType.HeartRateMeasurement)
LOCATION = QBluetoothUuid(QBluetoothUuid.CharacteristicType.BodySensorLocation)
CONFIGURATION = QBluetoothUuid(QBluetoothUuid.DescriptorType.ClientCharacteristicConfiguration)


class Central(QObject):
    def __init__(self, options):
        super().__init__()
        self.wanted = options.address.upper()
        self.reads = self.notifications = 0
        self.controller = self.service = None
        self.adapter = QBluetoothAddress(options.adapter_address)
        self.agent = QBluetoothDeviceDiscoveryAgent(self.adapter, self)
        self.agent.setLowEnergyDiscoveryTimeout(walk.LIMIT * 1000)
        self.agent.deviceDiscovered.connect(self.on_found)
        self.agent.errorOccurred.connect(lambda error: self.fail(self.agent.errorString()))
        self.agent.start(QBluetoothDeviceDiscoveryAgent.DiscoveryMethod.LowEnergyMethod)

    def fail(self, text):
        walk.report("error", message=str(text))
        QCoreApplication.exit(1)

    def on_found(self, device):
        if self.controller or device.address().toString().upper() != self.wanted:
            return
        self.agent.stop()
        walk.report("found", name=device.name(), address=device.address().toString())
        self.controller = QLowEnergyController.createCentral(device, self.adapter, self)
        self.controller.connected.connect(self.on_connected)
        self.controller.discoveryFinished.connect(self.on_services)
        self.controller.disconnected.connect(self.on_disconnected)
        self.controller.errorOccurred.connect(lambda error: self.fail(self.controller.errorString()))
        self.controller.connectToDevice()

    def on_connected(self):
        walk.report("connected", mtu=self.controller.mtu())
        self.controller.discoverServices()

    def on_services(self):
        walk.report("services", uuids=[uuid.toString().strip("{}") for uuid in self.controller.services()])
        self.service = self.controller.createServiceObject(HEART_RATE, self)
        self.service.stateChanged.connect(self.on_state)
        self.service.characteristicRead.connect(self.on_read)
        self.service.characteristicWritten.connect(self.on_written)
        self.service.characteristicChanged.connect(self.on_value)
        self.service.errorOccurred.connect(self.fail)
        self.service.discoverDetails(QLowEnergyService.DiscoveryMode.SkipValueDiscovery)

    def on_state(self, state):
        if state == QLowEnergyService.ServiceState.RemoteServiceDiscovered:
            self.service.readCharacteristic(self.service.characteristic(LOCATION))

    def on_read(self, _, value):
        walk.report("read", value=bytes(value).hex())
        self.reads += 1
        if self.reads == 1:
            self.service.writeCharacteristic(self.service.characteristic(LOCATION), QByteArray(walk.WRIST))
        else:
            descriptor = self.service.characteristic(MEASUREMENT).descriptor(CONFIGURATION)
            self.service.writeDescriptor(descriptor, QByteArray(b"\x01\x00"))

    def on_written(self, *_):
        walk.report("written")
        self.service.readCharacteristic(self.service.characteristic(LOCATION))

    def on_value(self, _, value):
        self.notifications += 1
        if self.notifications <= walk.NOTIFICATIONS:
            walk.report("notified", value=bytes(value).hex())
        if self.notifications == walk.NOTIFICATIONS:
            self.controller.disconnectFromDevice()

    def on_disconnected(self):
        walk.report("disconnected")
        QCoreApplication.exit(0 if self.notifications >= walk.NOTIFICATIONS else 1)


def main():
    options = walk.arguments(__doc__)
    application = QCoreApplication(sys.argv)
    central = Central(options)
    QTimer.singleShot(3 * walk.LIMIT * 1000, lambda: central.fail("it takes too long"))
    sys.exit(application.exec())


walk.run(main)
