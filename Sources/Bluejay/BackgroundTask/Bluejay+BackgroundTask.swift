extension Bluejay {
    /// Runs a background task that returns nothing; see ``run(userData:backgroundTask:completionOnMainThread:)``.
    public func run(
        backgroundTask: @escaping (SynchronizedPeripheral) throws -> Void,
        completionOnMainThread: @escaping (RunResult<Void>) -> Void
    ) {
        launch(backgroundTask, completionOnMainThread)
    }

    /// Runs a background task; see ``run(userData:backgroundTask:completionOnMainThread:)``.
    public func run<Result>(
        backgroundTask: @escaping (SynchronizedPeripheral) throws -> Result,
        completionOnMainThread: @escaping (RunResult<Result>) -> Void
    ) {
        launch(backgroundTask, completionOnMainThread)
    }

    /// Runs a task on a background queue. It uses the connected peripheral by blocking calls.
    ///
    /// While it runs, the ordinary calls are refused with ``BluejayError/backgroundTaskRunning``; the task itself must
    /// not make them. One task runs at a time.
    ///
    /// If the connection ends during the task, its blocking calls throw ``BluejayError/notConnected``. Connection
    /// observers and the disconnect handler are called after the completion.
    ///
    /// - Parameters:
    ///   - userData: passed to the task, so that the task does not have to capture shared state.
    ///   - backgroundTask: must not use anything that belongs to the main queue.
    ///   - completionOnMainThread: called on the main queue with what the task returns or throws. If the task is
    ///     refused (``BluejayError/multipleBackgroundTaskNotSupported``, ``BluejayError/disconnectQueued``,
    ///     ``BluejayError/notConnected``, ``BluejayNotStartedError``), it is called at once on the calling thread.
    public func run<UserData, Result>(
        userData: UserData,
        backgroundTask: @escaping (SynchronizedPeripheral, UserData) throws -> Result,
        completionOnMainThread: @escaping (RunResult<Result>) -> Void
    ) {
        launch({ try backgroundTask($0, userData) }, completionOnMainThread)
    }

    private func launch<Value>(
        _ body: @escaping (SynchronizedPeripheral) throws -> Value, _ completion: @escaping (RunResult<Value>) -> Void
    ) {
        let peripheral: SynchronizedPeripheral
        switch MainQueue.sync({ beginTask() }) {
        case .success(let begun): peripheral = begun
        case .failure(let error): return completion(.failure(error))
        }
        let transfer = UncheckedTransfer((body, completion))
        DispatchQueue.global().async {
            let (body, completion) = transfer.value
            let result: RunResult<Value>
            do {
                result = .success(try body(peripheral))
            } catch {
                result = .failure(error)
            }
            MainQueue.later { self.endTask { completion(result) } }
        }
    }

    func beginTask() -> Result<SynchronizedPeripheral, any Error> {
        if let refusal = refusal(of: .backgroundTask) { return .failure(refusal) }
        guard let connected else { return .failure(BluejayError.notConnected) }
        let task = SynchronizedPeripheral(self, connected)
        runningTask = task
        return .success(task)
    }

    private func endTask(_ deliver: () -> Void) {
        runningTask = nil
        let cleanUp = link.taskEnded()
        // Held, so that what the completion queues does not start before a lost connection is reported.
        queue.hold {
            deliver()
            perform(cleanUp)
        }
    }
}
