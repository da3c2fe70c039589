// The kernel's management interface, by which bluetoothd controls it (BlueZ: doc/mgmt-api.txt).
import { OP } from "./btsnoop.js";
import { hexNumber, number, text } from "./bytes.js";

const PEERS = "Address:addr, Address type:hex8";
const MGMT_COMMANDS = {
  0x01: ["Read Management Version Information"], 0x02: ["Read Management Supported Commands"],
  0x03: ["Read Controller Index List"], 0x04: ["Read Controller Information"], 0x05: ["Set Powered", "Powered:onoff"],
  0x06: ["Set Discoverable", "Discoverable:u8, Timeout:u16"], 0x07: ["Set Connectable", "Connectable:onoff"],
  0x08: ["Set Fast Connectable", "Enable:onoff"], 0x09: ["Set Bondable", "Bondable:onoff"],
  0x0a: ["Set Link Security", "Enable:onoff"], 0x0b: ["Set Secure Simple Pairing", "Enable:onoff"],
  0x0c: ["Set High Speed", "Enable:onoff"], 0x0d: ["Set Low Energy", "Enable:onoff"],
  0x0e: ["Set Device Class", "Major:u8, Minor:u8"], 0x0f: ["Set Local Name", "Name:text249, Short name:text11"],
  0x10: ["Add UUID", "UUID:uuid16, Hint:hex8"], 0x11: ["Remove UUID", "UUID:uuid16"], 0x12: ["Load Link Keys"],
  0x13: ["Load Long Term Keys", "Keys:u16"], 0x14: ["Disconnect", PEERS], 0x15: ["Get Connections"],
  0x16: ["PIN Code Reply", PEERS], 0x17: ["PIN Code Negative Reply", PEERS],
  0x18: ["Set IO Capability", "Capability:u8"], 0x19: ["Pair Device", `${PEERS}, IO capability:u8`],
  0x1a: ["Cancel Pair Device", PEERS], 0x1b: ["Unpair Device", `${PEERS}, Disconnect:onoff`],
  0x1c: ["User Confirmation Reply", PEERS], 0x1d: ["User Confirmation Negative Reply", PEERS],
  0x1e: ["User Passkey Reply", `${PEERS}, Passkey:u32`], 0x1f: ["User Passkey Negative Reply", PEERS],
  0x20: ["Read Local Out Of Band Data"], 0x21: ["Add Remote Out Of Band Data", PEERS],
  0x22: ["Remove Remote Out Of Band Data", PEERS], 0x23: ["Start Discovery", "Types:hex8"],
  0x24: ["Stop Discovery", "Types:hex8"], 0x25: ["Confirm Name", `${PEERS}, Known:onoff`],
  0x26: ["Block Device", PEERS],
  0x27: ["Unblock Device", PEERS], 0x28: ["Set Device ID", "Source:u16, Vendor:hex16, Product:hex16, Version:hex16"],
  0x29: ["Set Advertising", "Advertising:u8"], 0x2a: ["Set BR/EDR", "Enable:onoff"],
  0x2b: ["Set Static Address", "Address:addr"], 0x2c: ["Set Scan Parameters", "Interval:i625, Window:i625"],
  0x2d: ["Set Secure Connections", "Mode:u8"], 0x2e: ["Set Debug Keys", "Mode:u8"],
  0x2f: ["Set Privacy", "Privacy:u8, Identity resolving key:bytes16"],
  0x30: ["Load Identity Resolving Keys", "Keys:u16"], 0x31: ["Get Connection Information", PEERS],
  0x32: ["Get Clock Information", PEERS], 0x33: ["Add Device", `${PEERS}, Action:u8`], 0x34: ["Remove Device", PEERS],
  0x35: ["Load Connection Parameters", "Parameters:u16"], 0x36: ["Read Unconfigured Controller Index List"],
  0x37: ["Read Controller Configuration Information"], 0x38: ["Set External Configuration", "Configured:onoff"],
  0x39: ["Set Public Address", "Address:addr"],
  0x3a: ["Start Service Discovery", "Types:hex8, RSSI threshold:dbm, UUIDs:u16"],
  0x3b: ["Read Local Out Of Band Extended Data", "Types:hex8"], 0x3c: ["Read Extended Controller Index List"],
  0x3d: ["Read Advertising Features"],
  0x3e: ["Add Advertising", "Instance:u8, Flags:hex32, Duration:u16, Timeout:u16, Data length:u8, Response length:u8"],
  0x3f: ["Remove Advertising", "Instance:u8"], 0x40: ["Get Advertising Size Information", "Instance:u8, Flags:hex32"],
  0x41: ["Start Limited Discovery", "Types:hex8"], 0x42: ["Read Extended Controller Information"],
  0x43: ["Set Appearance", "Appearance:hex16"], 0x44: ["Get PHY Configuration"],
  0x45: ["Set PHY Configuration", "PHYs:hex32"], 0x46: ["Load Blocked Keys", "Keys:u16"],
  0x47: ["Set Wideband Speech", "Enable:onoff"], 0x48: ["Read Controller Capabilities"],
  0x49: ["Read Experimental Features Information"], 0x4a: ["Set Experimental Feature", "UUID:uuid16, Action:u8"],
  0x4b: ["Read Default System Configuration"], 0x4c: ["Set Default System Configuration"],
  0x4d: ["Read Default Runtime Configuration"], 0x4e: ["Set Default Runtime Configuration"],
  0x4f: ["Get Device Flags", PEERS], 0x50: ["Set Device Flags", `${PEERS}, Flags:hex32`],
  0x51: ["Read Advertisement Monitor Features"], 0x52: ["Add Advertisement Patterns Monitor", "Patterns:u8"],
  0x53: ["Remove Advertisement Monitor", "Monitor:hex16"],
  0x54: ["Add Extended Advertising Parameters",
    "Instance:u8, Flags:hex32, Duration:u16, Timeout:u16, Min interval:u32, Max interval:u32, TX power:dbm"],
  0x55: ["Add Extended Advertising Data", "Instance:u8, Data length:u8, Response length:u8, Data:ad"],
  0x56: ["Add Advertisement Patterns Monitor With RSSI Threshold"], 0x5b: ["Send HCI Command"],
};
const MGMT_EVENTS = {
  0x03: ["Controller Error", "Code:hex8"], 0x04: ["Index Added"], 0x05: ["Index Removed"],
  0x06: ["New Settings", "Settings:hex32"], 0x07: ["Class Of Device Changed", "Class:hex24"],
  0x08: ["Local Name Changed", "Name:text249, Short name:text11"], 0x09: ["New Link Key", "Store:onoff"],
  0x0a: ["New Long Term Key", `Store:onoff, ${PEERS}, Key type:u8, Central:u8, Encryption size:u8, Diversifier:hex16, `
    + "Random number:hex64, Key:bytes16"],
  0x0b: ["Device Connected", `${PEERS}, Flags:hex32, Data length:u16, Data:ad`],
  0x0c: ["Device Disconnected", `${PEERS}, Reason:u8`], 0x0d: ["Connect Failed", `${PEERS}, Status:mgmt`],
  0x0e: ["PIN Code Request", PEERS], 0x0f: ["User Confirmation Request", `${PEERS}, Confirm:u8, Value:u32`],
  0x10: ["User Passkey Request", PEERS], 0x11: ["Authentication Failed", `${PEERS}, Status:mgmt`],
  0x12: ["Device Found", `${PEERS}, RSSI:dbm, Flags:hex32, Data length:u16, Data:ad`],
  0x13: ["Discovering", "Types:hex8, Discovering:onoff"], 0x14: ["Device Blocked", PEERS],
  0x15: ["Device Unblocked", PEERS], 0x16: ["Device Unpaired", PEERS],
  0x17: ["Passkey Notify", `${PEERS}, Passkey:u32`],
  0x18: ["New Identity Resolving Key", `Store:onoff, Random address:addr, ${PEERS}, Key:bytes16`],
  0x19: ["New Signature Resolving Key", `Store:onoff, ${PEERS}, Key type:u8, Key:bytes16`],
  0x1a: ["Device Added", `${PEERS}, Action:u8`], 0x1b: ["Device Removed", PEERS],
  0x1c: ["New Connection Parameter",
    `Store:onoff, ${PEERS}, Min interval:i125, Max interval:i125, Latency:u16, Supervision timeout:t10`],
  0x1d: ["Unconfigured Index Added"], 0x1e: ["Unconfigured Index Removed"], 0x1f: ["New Configuration Options"],
  0x20: ["Extended Index Added"], 0x21: ["Extended Index Removed"], 0x22: ["Local Out Of Band Extended Data Updated"],
  0x23: ["Advertising Added", "Instance:u8"], 0x24: ["Advertising Removed", "Instance:u8"],
  0x25: ["Extended Controller Information Changed", "Data length:u16, Data:ad"],
  0x26: ["PHY Configuration Changed", "PHYs:hex32"], 0x27: ["Experimental Feature Changed", "UUID:uuid16, Flags:hex32"],
  0x2a: ["Device Flags Changed", `${PEERS}, Supported flags:hex32, Current flags:hex32`],
  0x2b: ["Advertisement Monitor Added", "Monitor:hex16"], 0x2c: ["Advertisement Monitor Removed", "Monitor:hex16"],
  0x2d: ["Controller Suspend", "State:u8"], 0x2e: ["Controller Resume", `Reason:u8, ${PEERS}`],
};
const STATUSES = [
  "Success", "Unknown Command", "Not Connected", "Failed", "Connect Failed", "Authentication Failed", "Not Paired",
  "No Resources", "Timeout", "Already Connected", "Busy", "Rejected", "Not Supported", "Invalid Parameters",
  "Disconnected", "Not Powered", "Cancelled", "Invalid Index", "RFKilled", "Already Paired", "Permission Denied",
];

const mgmtName = (opcode) => MGMT_COMMANDS[opcode]?.[0] ?? `command ${hexNumber(opcode, 4)}`;

function takeStatus(reader) {
  const code = reader.bytes[reader.position];
  if (code === undefined) return;
  reader.add("Status", `${STATUSES[code] ?? "unknown"} (${hexNumber(code, 2)})`, reader.position, 1,
    { type: "status", number: code });
  reader.position += 1;
}

function layOut(reader, layout) {
  const [before, after] = layout.split("Status:mgmt");
  reader.layout(before.replace(/, $/, ""));
  if (after !== undefined) takeStatus(reader);
}

/** Decodes a record of a control channel; returns its name. */
export function decodeControl(kind, reader) {
  reader.take("Socket", "hex32");
  if (kind === OP.controlClose) return "Control socket closed";
  if (kind === OP.controlOpen) {
    reader.layout("Format:u16, Version:u8, Revision:u16, Flags:hex32");
    const length = reader.take("Name length", "u8");
    const name = text(reader.bytes, reader.position, Math.min(reader.end, reader.position + length));
    reader.add("Program", name, reader.position, Math.min(length, reader.left));
    reader.position = reader.end;
    return "Control socket opened";
  }
  const code = number(reader.bytes, reader.position, 2);
  const isCommand = kind === OP.controlCommand;
  const start = reader.position;
  reader.position = Math.min(reader.position + 2, reader.end);
  let name;
  if (isCommand) {
    name = mgmtName(code);
    reader.add("Command", `${name} (${hexNumber(code, 4)})`, start, 2, { type: "mgmt", number: code });
    layOut(reader, MGMT_COMMANDS[code]?.[1] ?? "");
  } else if (code === 1 || code === 2) {
    const command = number(reader.bytes, reader.position, 2);
    name = `${code === 1 ? "Command Complete" : "Command Status"} · ${mgmtName(command)}`;
    reader.add("Event", `${code === 1 ? "Command Complete" : "Command Status"} (${hexNumber(code, 4)})`, start, 2);
    reader.add("Command", `${mgmtName(command)} (${hexNumber(command, 4)})`, reader.position, 2,
      { type: "mgmt", number: command });
    reader.position = Math.min(reader.position + 2, reader.end);
    takeStatus(reader);
    reader.rest("Returned");
  } else {
    name = MGMT_EVENTS[code]?.[0] ?? `event ${hexNumber(code, 4)}`;
    reader.add("Event", `${name} (${hexNumber(code, 4)})`, start, 2);
    layOut(reader, MGMT_EVENTS[code]?.[1] ?? "");
  }
  reader.rest("Parameters");
  return name;
}
