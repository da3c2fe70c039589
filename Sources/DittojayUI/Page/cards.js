// The services of the peripheral, and a card for each characteristic: its value, its plot, and how it is changed.

import { command } from "./access.js";
import { report } from "./actions.js";
import { adjuster, notifies } from "./adjust.js";
import { keep, make, part, say, toggle } from "./elements.js";
import { Plot } from "./plot.js";

const long = 22; // characters

class Card {
  constructor(peripheral, entry) {
    this.value = make("p", { class: "value" });
    this.tags = make("p", { class: "tags" });
    this.plot = new Plot(entry.profile.name);
    const head = make("div", { class: "head" }, make("h3", {}, title(entry.profile)));
    this.element = make("article", { class: "card characteristic" }, head, this.tags, this.value, this.plot.element);
    this.peripheral = peripheral;
  }

  show(entry, now) {
    const { profile, reading } = entry;
    this.control ??= this.addControl(entry);
    // A value that becomes known is a number from then on.
    if (Boolean(reading.encoding) !== this.hasNumber) this.control = this.addControl(entry);
    const isKnown = profile.value !== undefined || profile.sent !== undefined;
    say(this.value, isKnown ? reading.text.replace(/^-(?=\d)/, "−") : awaited(profile.properties));
    const isShown = isKnown && reading.text !== "(empty)";
    this.value.className = !isShown ? "value none" : reading.text.length > long ? "value long" : "value";
    const sent = profile.notifications > 0 ? `${profile.notifications} sent` : "";
    const subscribers = profile.subscribers > 0 ? `${profile.subscribers} subscribed` : "";
    const name = profile.description && profile.name;
    say(this.tags, [name, ...profile.properties, subscribers, sent].filter(Boolean).join(" · "));
    this.plot.add(isKnown ? reading.numbers : [], now);
    this.control?.follow(entry);
  }

  addControl(entry) {
    this.control?.element.remove();
    this.hasNumber = Boolean(entry.reading.encoding);
    const control = adjuster(this.peripheral, entry);
    if (control) this.element.append(control.element);
    return control;
  }
}

/** Where a value that is not there yet comes from. */
const awaited = (properties) => (notifies(properties) ? "Sent when a central subscribes" : "Written by centrals");

const title = ({ name, description }) => description ?? words(name);

/** `heart-rate-measurement` as people write it. */
export function words(name) {
  const text = name.replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** All cards of one peripheral. */
export class Cards {
  constructor(peripheral) {
    this.peripheral = peripheral;
    this.cards = new Map();
    this.sections = new Map();
    part("main").replaceChildren();
  }

  show(status, characteristics, now) {
    keep(part("main"), status.services, (service) => service.name, (service) => this.section(service),
      (element, service) => {
        const { box, list } = this.sections.get(service.name);
        element.classList.toggle("withdrawn", !service.isPublished);
        element.classList.toggle("single", characteristics.filter((entry) => entry.profile.service === service.name).length < 2);
        box.checked = service.isPublished;
        const own = characteristics.filter((entry) => entry.profile.service === service.name);
        keep(list, own, path, (entry) => this.card(entry).element, (_, entry) => this.card(entry).show(entry, now));
      });
  }

  section({ name, uuid }) {
    const list = make("div", { class: "cards" });
    const { label, input } = toggle("Published", (isOn) => this.publish(name, isOn));
    input.setAttribute("aria-label", `${name} is published`);
    const heading = make("h2", { title: uuid }, words(name));
    const element = make("section", { class: "service", "aria-label": words(name) },
      make("div", { class: "head" }, heading, label), list);
    this.sections.set(name, { box: input, list });
    return element;
  }

  async publish(service, isOn) {
    const reply = await command(this.peripheral, { command: isOn ? "add-service" : "remove-service", service });
    report(reply, `${service} is ${isOn ? "published" : "withdrawn"}`);
  }

  card(entry) {
    const key = path(entry);
    if (!this.cards.has(key)) this.cards.set(key, new Card(this.peripheral, entry));
    return this.cards.get(key);
  }
}

const path = ({ profile }) => `${profile.service}/${profile.name}`;
