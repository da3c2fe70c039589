import Dittojay
import GATTProfiles
import PlainText

extension PeripheralSample {
    func json(key: String) -> JSONObject {
        var object = JSONObject()
        object.add("type", "sample")
        object.add("peripheral", key)
        object.add("status", status.json)
        object.add(
            "signals",
            signals.sorted { $0.key < $1.key }.map { CentralSignal(central: $0.key, rssi: $0.value).json })
        object.add(
            "characteristics",
            characteristics.map { characteristic in
                var entry = JSONObject()
                entry.add("profile", characteristic.json)
                entry.add("reading", Reading(characteristic).json)
                return entry
            })
        return object
    }
}

extension Reading {
    var json: JSONObject {
        var object = JSONObject()
        object.add("text", text)
        object.add(
            "numbers",
            numbers.map { number in
                var entry = JSONObject()
                entry.add("name", number.name)
                entry.add("unit", number.unit)
                entry.add("value", number.value, places: 6)
                return entry
            })
        object.add(
            "encoding",
            encoding.map { encoding in
                var entry = JSONObject()
                entry.add("prefix", encoding.prefix.map(Double.init), places: 0)
                entry.add("width", encoding.number.width)
                entry.add("isSigned", encoding.number.isSigned)
                entry.add("scale", encoding.number.scale, places: 9)
                entry.add("unit", encoding.number.unit)
                entry.add(
                    "meanings",
                    encoding.number.meanings.sorted { $0.key < $1.key }.map { number, meaning in
                        var member = JSONObject()
                        member.add("number", number)
                        member.add("meaning", meaning)
                        return member
                    })
                entry.add("low", encoding.range?.lowerBound, places: 3)
                entry.add("high", encoding.range?.upperBound, places: 3)
                return entry
            })
        return object
    }
}
