import Logging
import MainLoop

/// This layer's logger.
let logger = Logger(.restoration)
