// How a person gives a characteristic another value: a slider and a number, or a text.

import { command } from "./access.js";
import { make } from "./elements.js";
import { report } from "./actions.js";

const pace = 100; // ms between the values of a slider that is being dragged

/** Sets what reads give and sends it, as far as the characteristic has that; the last value wins. */
class Sender {
  constructor(peripheral, profile) {
    this.peripheral = peripheral;
    this.profile = profile;
    this.path = `${profile.service}/${profile.name}`;
  }

  async put(value) {
    this.next = value;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.next !== undefined) {
      const current = this.next;
      this.next = undefined;
      await this.carryOut(current);
      await new Promise((done) => setTimeout(done, pace));
    }
    this.isBusy = false;
  }

  async carryOut(value) {
    const { canBeSet, properties, isPublished } = this.profile;
    const texts = [];
    if (canBeSet) {
      const reply = await command(this.peripheral, { command: "set", characteristic: this.path, value });
      if (!reply.ok) return report(reply);
      texts.push("set");
    }
    if (notifies(properties) && isPublished) {
      const reply = await command(this.peripheral, { command: "send", characteristic: this.path, value });
      if (!reply.ok) return report(reply);
      texts.push(reply.subscribers > 0 ? `sent to ${reply.subscribers}` : "no central is subscribed");
    }
    report({ ok: true }, `${this.profile.name}: ${texts.join(", ")}`);
  }
}

export const notifies = (properties) => properties.includes("notify") || properties.includes("indicate");

/** The controls of a characteristic; nothing if its value cannot be changed from here. */
export function adjuster(peripheral, entry) {
  const { profile, reading } = entry;
  if (profile.chirps || !(profile.canBeSet || notifies(profile.properties))) return undefined;
  const sender = new Sender(peripheral, profile);
  const control = controlOf(sender, reading);
  const follow = ({ profile: now, reading: read }) => {
    sender.profile = now;
    control.follow?.(read);
  };
  return { element: control.element, follow };
}

function controlOf(sender, reading) {
  if (!reading.encoding) return textControl(sender);
  return reading.encoding.meanings.length > 1 ? choiceControl(sender, reading) : numberControl(sender, reading);
}

/** A number whose values have names. */
function choiceControl(sender, { encoding, text }) {
  const select = make("select", { "aria-label": sender.profile.name },
    ...encoding.meanings.map(({ number, meaning }) => make("option", { value: number }, meaning)));
  const element = make("form", { class: "adjust text" }, select, make("button", { class: "small" }, "Send"));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    sender.put(encode(encoding, Number(select.value)));
  });
  const follow = ({ text: read }) => {
    if (element.contains(document.activeElement) || sender.isBusy) return;
    const option = [...select.options].find((one) => one.textContent.toLowerCase() === read.toLowerCase());
    if (option) select.value = option.value;
  };
  follow({ text });
  return { element, follow };
}

function numberControl(sender, { encoding, numbers }) {
  const [low, high] = range(encoding, numbers[0]?.value);
  const [least, greatest] = possible(encoding);
  const unit = encoding.unit ? ` in ${encoding.unit}` : "";
  const name = sender.profile.name;
  const slider = make("input", { type: "range", min: low, max: high, step: encoding.scale, "aria-label": `${name}${unit}` });
  const field = make("input", {
    type: "number", min: least, max: greatest, step: "any", inputmode: "decimal", required: true,
    "aria-label": `${name}${unit}, as a number`,
  });
  const send = () => sender.put(encode(encoding, Number(field.value)));
  slider.addEventListener("input", () => {
    field.value = rounded(Number(slider.value), encoding.scale);
    send();
  });
  const element = make("form", { class: "adjust" }, slider, field, make("button", { class: "small" }, "Send"));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    slider.value = field.value;
    send();
  });
  const follow = ({ numbers: read }) => {
    // Not while somebody is about to change it.
    if (element.contains(document.activeElement) || sender.isBusy || !read.length) return;
    slider.value = read[0].value;
    field.value = rounded(read[0].value, encoding.scale);
  };
  follow({ numbers: numbers.length ? numbers : [{ value: (low + high) / 2 }] });
  return { element, follow };
}

function textControl(sender) {
  const field = make("input", {
    autocomplete: "off", spellcheck: "false", maxlength: 1024, placeholder: "text, hex:0A0B, u16:1, i16:-5, …",
    "aria-label": `${sender.profile.name}: another value`,
  });
  const element = make("form", { class: "adjust text" }, field, make("button", { class: "small" }, "Send"));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    sender.put(field.value || "empty");
  });
  return { element };
}

/** The numbers that the bytes can have. */
function possible({ width, isSigned, scale }) {
  const bits = 8 * width;
  const [low, high] = isSigned ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  return [low * scale, high * scale];
}

/** The numbers of a slider: those that make sense for the unit, or those around the present one. */
function range(encoding, value = 0) {
  const [least, greatest] = possible(encoding);
  if (encoding.low !== undefined) return [Math.max(least, encoding.low), Math.min(greatest, encoding.high)];
  if (encoding.width === 1) return [least, greatest];
  const reach = Math.max(Math.abs(value), 100 * encoding.scale);
  return [Math.max(least, value < 0 || encoding.isSigned ? value - reach : 0), Math.min(greatest, value + reach)];
}

/** The value as requests have it: `hex:` and the bytes, the last one first. */
export function encode({ prefix, width, isSigned, scale }, number) {
  const bits = BigInt(8 * width);
  const [low, high] = isSigned ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  let whole = BigInt(Math.round(number / scale));
  whole = whole < low ? low : whole > high ? high : whole;
  whole = BigInt.asUintN(8 * width, whole);
  const bytes = [...prefix];
  for (let index = 0; index < width; index += 1) bytes.push(Number((whole >> BigInt(8 * index)) & 255n));
  return `hex:${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function rounded(number, scale) {
  const places = scale < 1 ? Math.min(6, Math.ceil(-Math.log10(scale))) : 0;
  return number.toFixed(places);
}
