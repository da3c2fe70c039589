// The centrals that are connected, with their MTU, their signal and what they have subscribed to.

import { command } from "./access.js";
import { report } from "./actions.js";
import { keep, make, part, printed, say } from "./elements.js";

export function showCentrals(peripheral, centrals, signals) {
  const list = part("centrals");
  if (centrals.length === 0) {
    keep(list, [""], () => "none", () => make("li", { class: "soft" }, "No central is connected."));
    return;
  }
  const strengths = new Map(signals.map(({ central, rssi }) => [central, rssi]));
  keep(list, centrals, ({ address }) => address, ({ address }) => entry(peripheral, address), (element, central) => {
    const strength = strengths.get(central.address);
    const facts = [
      central.mtu === undefined ? "" : `MTU ${central.mtu}`, strength === undefined ? "" : `${printed(strength)} dBm`,
    ];
    say(element.querySelector(".soft"), facts.filter(Boolean).join(" · "));
    keep(element.querySelector(".chips"), central.subscriptions, (name) => name, (name) => make("span", {}, name));
  });
}

function entry(peripheral, address) {
  const end = async () => report(await command(peripheral, { command: "disconnect", central: address }), `disconnected ${address}`);
  return make("li", { class: "entry" },
    make("div", {}, make("p", { class: "address" }, address), make("p", { class: "soft" }), make("div", { class: "chips" })),
    make("button", { class: "small", "aria-label": `Disconnect ${address}`, onclick: end }, "Disconnect"));
}
