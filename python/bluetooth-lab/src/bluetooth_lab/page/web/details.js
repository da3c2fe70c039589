// What an event is, in all its parts: the fields of a packet with its bytes, a message with its content, and the
// events that it has to do with.
import { hex } from "./bytes.js";
import { span } from "./overview.js";
import { related } from "./relate.js";
import { difference, seconds, timeOfDay } from "./times.js";

const BYTES_A_ROW = 16;
const MAXIMUM_BYTES = 4096; // shown
const LONGEST_CONTENT = 50000; // characters

export class Details {
  /** `onPick(event)`: another event was asked for. */
  constructor(element, onPick) {
    Object.assign(this, { element, onPick });
    this.clear("Choose an event to see what is in it.");
  }

  clear(hint) {
    this.element.replaceChildren(block("p", "hint", hint));
  }

  show(record, event) {
    const { element } = this;
    const lane = record.lanes[record.laneOf[event]];
    const top = block("div", `top hue-${lane.hue}`);
    const when = block("div", "when");
    const time = record.times[event];
    when.append(block("b", "", lane.title), `${timeOfDay(time)}  ${seconds(time - record.start)} s`);
    top.append(when);
    element.replaceChildren(top);
    const source = record.sources[event];
    const ref = record.refs[event];
    if (source === record.packets) {
      const decoded = record.packets.decode(ref);
      top.append(block("h2", "", decoded.summary));
      this.addRelated(record, event);
      this.addPacket(record.packets, ref, decoded);
    } else if (source === record.messages) {
      const message = record.messages.list[ref];
      top.append(block("h2", "", record.text(event)));
      this.addRelated(record, event);
      this.addMessage(record.messages, message, ref);
    } else {
      top.append(block("h2", "", lane.title === "test" && source.isFailure(ref) ? "Failure" : lane.title));
      element.append(block("pre", "", source.summary(ref)));
      this.addLine(source, ref);
      this.addRelated(record, event);
    }
    element.scrollTop = 0;
  }

  heading(text) {
    this.element.append(block("h3", "", text));
  }

  addRelated(record, event) {
    const others = related(record, event);
    if (!others.length) return;
    this.heading("Belongs together");
    const list = block("ul", "related");
    for (const { label, event: other } of others) {
      const item = document.createElement("li");
      const button = block("button", `hue-${record.lanes[record.laneOf[other]].hue}`);
      button.type = "button";
      button.append(span("label", label), span("after", difference(record.times[other] - record.times[event])),
        span("text", `${record.lanes[record.laneOf[other]].title}  ${record.text(other)}`));
      button.title = record.text(other);
      button.addEventListener("click", () => this.onPick(other));
      item.append(button);
      list.append(item);
    }
    this.element.append(list);
  }

  addPacket(packets, ref, decoded) {
    const whole = decoded.whole && new Bytes(decoded.wholeBytes);
    const dump = new Bytes(decoded.bytes);
    this.heading("Fields");
    this.element.append(fieldList(decoded.fields, dump));
    if (whole) {
      this.heading("The whole PDU");
      this.element.append(fieldList(decoded.whole, whole));
    }
    if (whole) {
      this.heading(`Bytes of the PDU (${decoded.wholeBytes.length})`);
      this.element.append(whole.element);
    }
    this.heading(`Bytes (${decoded.bytes.length})`);
    this.element.append(dump.element);
    const link = packets.links[ref];
    if (link?.peer) {
      this.heading("Link");
      const local = packets.addresses.get(link.controller);
      this.element.append(fieldTexts([["Controller", `hci${link.controller}${local ? ` ${local}` : ""}`],
        ["Peer", link.peer], ["Handle", String(link.handle)]]));
    }
  }

  addMessage(messages, message, ref) {
    this.heading("Message");
    const texts = [["Kind", message.kind], ["Sender", fullName(messages, message.sender)],
      ["Destination", message.destination ? fullName(messages, message.destination) : "all that listen"],
      ["Path", message.path], ["Interface", message.interface], ["Member", message.member], ["Error", message.error],
      ["Serial", message.serial], ["Answer to", message.reply]];
    this.element.append(fieldTexts(texts.filter(([, text]) => text)));
    const body = messages.body(ref);
    if (!body) return;
    this.heading("Content");
    const shown = body.length > LONGEST_CONTENT ? `${body.slice(0, LONGEST_CONTENT)}…` : body;
    this.element.append(block("pre", "", shown));
  }

  /** What a line in JSON says, or an event of another lane has. */
  addLine(source, ref) {
    let fields = source.list[ref].fields;
    const { text } = source.list[ref];
    if (!fields && text?.startsWith("{")) {
      try {
        fields = JSON.parse(text);
      } catch {
        return;
      }
    }
    if (!fields || typeof fields !== "object") return;
    this.heading("Fields");
    this.element.append(fieldTexts(Object.entries(fields)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])));
  }
}

function fullName(messages, connection) {
  const name = messages.nameOf(connection);
  return name === connection ? connection : `${name} (${connection})`;
}

function block(tag, className, text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

function fieldTexts(pairs) {
  const list = block("ul", "fields");
  for (const [name, text] of pairs) {
    const item = block("li", "field");
    item.append(span("name", name), span("value", text));
    list.append(item);
  }
  return list;
}

/** Fields, each beside its bytes: to point at one lights the other up. */
function fieldList(fields, dump) {
  const list = block("ul", "fields");
  for (const field of fields) {
    const item = document.createElement("li");
    const row = block("div", field.children ? "field group" : "field");
    row.append(span("name", field.name), span("value", field.value));
    row.addEventListener("pointerenter", () => dump.light(field.offset, field.length));
    row.addEventListener("pointerleave", () => dump.light(0, 0));
    if (!field.children) dump.rows.push([field, row]);
    item.append(row);
    if (field.children?.length) item.append(fieldList(field.children, dump));
    list.append(item);
  }
  return list;
}

/** Bytes in hex and as characters. */
class Bytes {
  constructor(bytes) {
    this.rows = [];
    this.cells = [];
    this.element = block("div", "hex");
    const shown = Math.min(bytes.length, MAXIMUM_BYTES);
    for (let start = 0; start < shown; start += BYTES_A_ROW) {
      const line = document.createElement("div");
      line.append(span("offset", `${start.toString(16).padStart(4, "0")}  `));
      let characters = "";
      for (let index = start; index < start + BYTES_A_ROW; index++) {
        const gap = index % 8 === 7 ? "  " : " ";
        if (index >= shown) {
          line.append(`  ${gap}`);
          continue;
        }
        const cell = span("", hex(bytes, index, index + 1));
        cell.dataset.index = index;
        this.cells.push(cell);
        line.append(cell, gap);
        characters += bytes[index] >= 0x20 && bytes[index] < 0x7f ? String.fromCharCode(bytes[index]) : "·";
      }
      line.append(span("chars", characters));
      this.element.append(line);
    }
    if (bytes.length > shown) this.element.append(`… ${bytes.length - shown} more`);
    this.element.addEventListener("pointerover", (event) => this.point(event.target.dataset?.index));
    this.element.addEventListener("pointerleave", () => this.point());
  }

  light(offset, length) {
    this.cells.forEach((cell, index) => cell.classList.toggle("lit", index >= offset && index < offset + length));
  }

  /** The field that a byte belongs to. */
  point(index) {
    for (const [field, row] of this.rows) {
      const isMeant = index !== undefined && index >= field.offset && index < field.offset + field.length;
      row.classList.toggle("lit", isMeant);
      if (isMeant) this.light(field.offset, field.length);
    }
    if (index === undefined) this.light(0, 0);
  }
}
