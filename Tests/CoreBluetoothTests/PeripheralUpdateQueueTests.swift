import DequeModule
import Testing

@testable import CoreBluetooth

/// The queue between `updateValue` and the loop.
@Suite struct PeripheralUpdateQueueTests {
    private let characteristic = NSObject()
    private let central = NSObject()
    private var target: ObjectIdentifier { ObjectIdentifier(characteristic) }

    private func openQueue(capacity: Int = 4) -> UpdateQueue {
        let queue = UpdateQueue(capacity: capacity)
        queue.open(target, generation: 1, centrals: [ObjectIdentifier(central)])
        return queue
    }

    @Test func `a value that nobody receives takes no room`() {
        let queue = UpdateQueue(capacity: 1)
        #expect(queue.offer(Data([1]), to: target, only: nil) == .noReceiver)
        queue.open(target, generation: 1, centrals: [ObjectIdentifier(central)])
        #expect(queue.offer(Data([1]), to: target, only: [ObjectIdentifier(NSObject())]) == .noReceiver)
        #expect(queue.offer(Data([1]), to: target, only: []) == .noReceiver)
        #expect(queue.offer(Data([1]), to: target, only: [ObjectIdentifier(central)]) == .queuedFirst)
        queue.close(target)
        #expect(queue.offer(Data([2]), to: target, only: nil) == .noReceiver)
    }

    @Test func `a burst wakes the loop once, and order is kept`() {
        let queue = openQueue()
        #expect(queue.offer(Data([0]), to: target, only: nil) == .queuedFirst)
        #expect(queue.offer(Data([1]), to: target, only: nil) == .queued)
        var batch = Deque<UpdateQueue.Update>()
        queue.take(into: &batch)
        #expect(batch.map(\.value) == [Data([0]), Data([1])])
        #expect(batch.allSatisfy { $0.generation == 1 })
        // The loop is awake until it has found nothing more.
        #expect(queue.offer(Data([2]), to: target, only: nil) == .queued)
        batch.removeAll()
        queue.take(into: &batch)
        #expect(batch.map(\.value) == [Data([2])])
        batch.removeAll()
        queue.take(into: &batch)
        #expect(batch.isEmpty)
        #expect(queue.offer(Data([3]), to: target, only: nil) == .queuedFirst)
    }

    @Test func `room is what bluetoothd has taken, not what the loop has`() {
        let queue = openQueue()
        for byte in 0..<4 { #expect(queue.offer(Data([UInt8(byte)]), to: target, only: nil) != .full) }
        var batch = Deque<UpdateQueue.Update>()
        queue.take(into: &batch)
        #expect(queue.offer(Data([9]), to: target, only: nil) == .full)
        #expect(!queue.finished(1))
        #expect(queue.offer(Data([9]), to: target, only: nil) == .queued)
    }

    @Test func `after a refusal the caller is notified once, when half of the queue is free`() {
        let queue = openQueue()
        for byte in 0..<4 { _ = queue.offer(Data([UInt8(byte)]), to: target, only: nil) }
        #expect(!UpdateQueue(capacity: 4).finished(0))
        #expect(queue.offer(Data([4]), to: target, only: nil) == .full)
        #expect(queue.offer(Data([4]), to: target, only: nil) == .full)
        #expect(!queue.finished(1))
        #expect(queue.finished(1))
        #expect(!queue.finished(1))
        #expect(!queue.finished(1))
    }

    @Test func `without a refusal nobody is notified`() {
        let queue = openQueue()
        for byte in 0..<4 { _ = queue.offer(Data([UInt8(byte)]), to: target, only: nil) }
        #expect(!queue.finished(4))
    }

    @Test func `power loss forgets refusals and receivers`() {
        let queue = openQueue(capacity: 1)
        _ = queue.offer(Data([0]), to: target, only: nil)
        #expect(queue.offer(Data([1]), to: target, only: nil) == .full)
        queue.closeAll()
        #expect(!queue.finished(1))
        #expect(queue.offer(Data([1]), to: target, only: nil) == .noReceiver)
    }

    @Test func `values offered by several threads all arrive, each thread's in order`() async {
        let queue = openQueue(capacity: 10_000)
        let target = target
        await withTaskGroup { group in
            for thread in UInt8(0)..<4 {
                group.addTask {
                    for number in UInt8(0)..<250 { _ = queue.offer(Data([thread, number]), to: target, only: nil) }
                }
            }
        }
        var batch = Deque<UpdateQueue.Update>()
        queue.take(into: &batch)
        for thread in UInt8(0)..<4 {
            #expect(batch.filter { $0.value[0] == thread }.map { $0.value[1] } == Array(0..<250))
        }
    }
}
