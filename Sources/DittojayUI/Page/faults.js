// What goes wrong on purpose: what there is, and a form for more.

import { command } from "./access.js";
import { report } from "./actions.js";
import { keep, make, part } from "./elements.js";

// Each action with the occasions that it is possible on, and the member that it needs.
const actions = {
  "no-answer": { on: ["read", "write"] },
  error: { on: ["read", "write"], member: "error", label: "ATT error", value: "0x80" },
  disconnect: { on: ["read", "write", "notify", "subscribe"] },
  delay: { on: ["read", "write", "notify"], member: "seconds", label: "Seconds", value: "1" },
  drop: { on: ["notify"] },
  duplicate: { on: ["notify"] },
  resize: { on: ["read", "notify"], member: "size", label: "Bytes", value: "1" },
  flood: { on: ["subscribe"], member: "count", label: "Values", value: "100" },
};

const occasions = {
  read: ["read"], write: ["write", "write-without-response"], notify: ["notify", "indicate"],
  subscribe: ["notify", "indicate"],
};

export class Faults {
  constructor(peripheral) {
    this.peripheral = peripheral;
    this.characteristic = make("select", { onchange: () => this.choose() });
    this.on = make("select", { onchange: () => this.choose() });
    this.action = make("select", { onchange: () => this.choose() });
    this.amount = make("input", { autocomplete: "off", required: true });
    this.amountName = make("span");
    this.amountLabel = make("label", {}, this.amountName, " ", this.amount);
    this.chance = make("input", { type: "number", min: 1, max: 100, value: 100, required: true });
    const form = part("fault");
    form.replaceChildren(
      make("label", {}, "Characteristic ", this.characteristic), make("label", {}, "On ", this.on),
      make("label", {}, "Action ", this.action), this.amountLabel,
      make("label", {}, "Probability in percent ", this.chance), make("button", {}, "Add fault"));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.add();
    };
    this.paths = "";
  }

  show(faults, characteristics) {
    this.profiles = new Map(characteristics.map(({ profile }) => [`${profile.service}/${profile.name}`, profile]));
    const paths = [...this.profiles.keys()].join();
    if (paths !== this.paths) {
      this.paths = paths;
      options(this.characteristic, [...this.profiles.keys()]);
      this.choose();
    }
    const shown = faults.length ? faults : [{ characteristic: "", fault: "" }];
    keep(part("faults"), shown, ({ characteristic, fault }) => `${characteristic} ${fault}`, (one) => this.entry(one));
  }

  entry({ characteristic, fault }) {
    if (!characteristic) return make("li", { class: "soft" }, "No faults injected.");
    const clear = async () => {
      report(await command(this.peripheral, { command: "clear-faults", characteristic }), `faults of ${characteristic} cleared`);
    };
    return make("li", { class: "entry" },
      make("div", {}, make("p", {}, characteristic.split("/").at(-1)), make("p", { class: "soft" }, fault)),
      make("button", { class: "small", "aria-label": `Clear the faults of ${characteristic}`, onclick: clear }, "Clear"));
  }

  /** Offers only what is possible with what is chosen. */
  choose() {
    const profile = this.profiles?.get(this.characteristic.value);
    const properties = profile?.properties ?? [];
    options(this.on, Object.keys(occasions).filter((on) => occasions[on].some((one) => properties.includes(one))));
    options(this.action, Object.keys(actions).filter((name) => actions[name].on.includes(this.on.value)));
    const { member, label, value } = actions[this.action.value] ?? {};
    this.amountLabel.hidden = member === undefined;
    this.amount.disabled = member === undefined;
    this.amountName.textContent = label ?? "Amount";
    if (this.member !== member) this.amount.value = value ?? "";
    this.member = member;
  }

  async add() {
    const action = this.action.value;
    const request = {
      command: "add-fault", characteristic: this.characteristic.value, on: this.on.value, action,
      chance: Number(this.chance.value),
    };
    if (this.member) request[this.member] = this.member === "error" ? this.amount.value : Number(this.amount.value);
    report(await command(this.peripheral, request), `${request.characteristic} misbehaves: ${action} on ${request.on}`);
  }
}

function options(select, names) {
  const chosen = select.value;
  if ([...select.options].map((option) => option.value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => make("option", { value: name }, name.split("/").at(-1))));
  if (names.includes(chosen)) select.value = chosen;
}
