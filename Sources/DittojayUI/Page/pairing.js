// What a central that pairs wants of the sensor's user, answered in the log.

import { command } from "./access.js";
import { report } from "./actions.js";
import { make } from "./elements.js";

/** The element that answers an event; undefined if it wants no answer. */
export function answer(peripheral, event) {
  switch (event.event) {
    case "passkey-requested": return passkey(peripheral);
    case "comparison-requested": return comparison(peripheral);
  }
}

function passkey(peripheral) {
  const input = make("input", { inputmode: "numeric", maxlength: "6", size: "8", "aria-label": "Passkey that the central shows" });
  const enter = async (event) => {
    event.preventDefault();
    report(await command(peripheral, { command: "passkey", passkey: input.value }), `entered ${input.value}`);
  };
  return make("form", { class: "answer", onsubmit: enter }, input, make("button", { class: "small" }, "Enter"));
}

function comparison(peripheral) {
  const button = (state, text) => make("button", {
    class: "small",
    onclick: async () => report(await command(peripheral, { command: "confirm", state }), `confirm: ${state}`),
  }, text);
  return make("span", { class: "answer" }, button("yes", "The same"), button("no", "Different"));
}
