// A capture of HCI traffic in the btsnoop format, as the kernel's monitor channel gives it (BlueZ:
// doc/btsnoop-protocol.txt).

export const OP = {
  newIndex: 0, deleteIndex: 1, command: 2, event: 3, aclOut: 4, aclIn: 5, scoOut: 6, scoIn: 7, openIndex: 8,
  closeIndex: 9, indexInfo: 10, vendor: 11, systemNote: 12, note: 13, controlOpen: 14, controlClose: 15,
  controlCommand: 16, controlEvent: 17, isoOut: 18, isoIn: 19,
};
const FILE_HEADER = 16;
const RECORD_HEADER = 24;
// The format counts microseconds from the year 0.
const EPOCH = 0x00e03ab44a676000n - 946684800000000n;

/** The complete records: times in microseconds since 1970, and where each content is in `bytes`. */
export class Capture {
  constructor(bytes = new Uint8Array()) {
    this.bytes = bytes;
    this.times = [];
    this.opcodes = [];
    this.controllers = [];
    this.offsets = [];
    this.lengths = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let position = FILE_HEADER;
    while (position + RECORD_HEADER <= bytes.length) {
      const length = view.getUint32(position + 4);
      if (position + RECORD_HEADER + length > bytes.length) break;
      const flags = view.getUint32(position + 8);
      this.times.push(Number(view.getBigInt64(position + 16) - EPOCH));
      this.opcodes.push(flags & 0xffff);
      this.controllers.push(flags >>> 16);
      this.offsets.push(position + RECORD_HEADER);
      this.lengths.push(length);
      position += RECORD_HEADER + length;
    }
  }

  get count() {
    return this.times.length;
  }

  content(index) {
    return this.bytes.subarray(this.offsets[index], this.offsets[index] + this.lengths[index]);
  }
}
