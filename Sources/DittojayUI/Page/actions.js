// What is done with the peripheral as a whole: chirp, advertise, power, disconnect.

import { command } from "./access.js";
import { make, part, say, toggle } from "./elements.js";

/** Says what came of a request. */
export function report(reply, text = "") {
  const result = part("result");
  result.classList.toggle("bad", !reply.ok);
  say(result, reply.ok ? text : reply.error);
}

export class Actions {
  constructor(peripheral) {
    this.peripheral = peripheral;
    this.advertise = toggle("Advertising", (isOn) => this.turn("advertise", isOn));
    this.power = toggle("Power", (isOn) => this.turn("power", isOn));
    this.disconnect = make("button", { class: "small", onclick: () => this.end() }, "Disconnect all");
    part("switches").replaceChildren(this.advertise.label, this.power.label, this.disconnect);
    part("chirp").onsubmit = (event) => {
      event.preventDefault();
      this.chirp(part("chirp-value").value);
    };
    report({ ok: true });
  }

  show(status, characteristics) {
    this.advertise.input.checked = status.isAdvertising;
    this.power.input.checked = status.state === "poweredOn";
    this.disconnect.disabled = status.centrals.length === 0;
    part("chirp").hidden = !characteristics.some((entry) => entry.profile.chirps);
  }

  async chirp(value) {
    const reply = await command(this.peripheral, { command: "chirp", ...(value && { value }) });
    const count = reply.subscribers ?? 0;
    report(reply, count ? `chirped to ${count} subscriber${count === 1 ? "" : "s"}` : "chirped, but no central is subscribed");
  }

  async turn(name, isOn) {
    const state = isOn ? "on" : "off";
    report(await command(this.peripheral, { command: name, state }), `${name}: ${state}`);
  }

  async end() {
    const reply = await command(this.peripheral, { command: "disconnect" });
    report(reply, `disconnected ${(reply.disconnected ?? []).join(", ")}`);
  }
}
