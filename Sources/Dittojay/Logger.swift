import LayerLog
import Logging

/// This layer's logger.
let logger = Logger(.dittojay)
