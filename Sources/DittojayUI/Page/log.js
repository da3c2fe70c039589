// The events of all peripherals, with a filter.

import { make, part, say } from "./elements.js";
import { answer } from "./pairing.js";

const most = 500;
const tones = {
  connected: "good", subscribed: "good", advertising: "good", "service-added": "good", paired: "good", disconnected: "bad",
  "pairing-failed": "bad", failed: "bad", fault: "bad", "advertising-stopped": "bad", dropped: "bad",
};
// What is said aloud; everything would be too much.
const spoken = new Set([
  "connected", "disconnected", "failed", "state", "passkey-displayed", "passkey-requested", "comparison-requested",
]);

export class Log {
  peripheral; // the key of the one that gets answers

  constructor() {
    this.list = part("log");
    part("filter").addEventListener("input", () => this.filter());
    part("clear").addEventListener("click", () => this.list.replaceChildren());
  }

  /** The stream begins anew, with the past events. */
  begin() {
    this.list.replaceChildren();
    this.isPast = true;
  }

  add(event) {
    const time = event.time ? new Date(event.time) : new Date();
    const text = describe(event);
    const entry = make("li", { class: tones[event.event] ?? "" },
      make("time", { datetime: time.toISOString() }, clock(time)), make("b", {}, event.event), make("span", {}, text),
      this.isPast ? undefined : answer(this.peripheral, event));
    entry.hidden = !this.matches(entry);
    const isAtEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 30;
    this.list.append(entry);
    while (this.list.children.length > most) this.list.firstChild.remove();
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
    if (spoken.has(event.event) && !this.isPast) say(part("said"), `${event.event} ${text}`);
  }

  missed(count) {
    this.add({ event: "dropped", message: `${count} events that this page did not receive in time` });
  }

  matches(entry) {
    const words = part("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = entry.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  filter() {
    for (const entry of this.list.children) entry.hidden = !this.matches(entry);
    this.list.scrollTop = this.list.scrollHeight;
  }
}

function describe(event) {
  const parts = [];
  if (event.peripheral) parts.push(`[${event.peripheral}]`);
  if (event.characteristic ?? event.service) parts.push(event.characteristic ?? event.service);
  if (event.value !== undefined) parts.push(event.value === "" ? "(empty)" : event.value);
  if (event.attError !== undefined) parts.push(`ATT error 0x${event.attError.toString(16).padStart(2, "0")}`);
  if (event.passkey) parts.push(event.passkey);
  if (event.message) parts.push(event.message);
  if (event.profile) parts.push(`profile ${event.profile}`);
  if (event.lines) parts.push(`${event.lines} events`);
  if (event.central) parts.push(event.central);
  return parts.join(" ");
}

const clock = (time) => {
  const digits = (number, count = 2) => String(number).padStart(count, "0");
  return `${digits(time.getHours())}:${digits(time.getMinutes())}:${digits(time.getSeconds())}.${digits(time.getMilliseconds(), 3)}`;
};
