"""What the virtual radio has recorded of its air (`virtual-radio record`): as a lane of a record's page, and as a page
of its own.

A recording is a file of lines, each an object in JSON with `event` and `time_us`, microseconds since the radio began:

| event | members |
|---|---|
| `air` | the devices and their positions; the first line is one, and one follows whenever devices come or go |
| `packets` | packets with the same fate: `from`, `to`, `kind`, `fate`, `count`, `bytes`, `over_us`, `rssi_dbm` |
| `strength` | `central`, `peripheral` of a link, and its new `rssi_dbm` |
| others | those of `virtual-radio events` |

An `air` has `began_us` (when the radio began, in microseconds since 1970), `air`, `devices`, `phantoms`, `walls`,
`jammers` and `links`.
"""
