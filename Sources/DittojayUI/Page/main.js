// Puts the parts together: which peripheral is shown, and what comes of the stream.

import { forgetToken, hasToken } from "./access.js";
import { Actions } from "./actions.js";
import { Cards, words } from "./cards.js";
import { showCentrals } from "./centrals.js";
import { make, part, say } from "./elements.js";
import { Faults } from "./faults.js";
import { Log } from "./log.js";
import { AirMap } from "./map.js";
import { follow } from "./stream.js";

const log = new Log();
const map = new AirMap();
let shown; // the key of the peripheral
let parts;
let stream;

const states = {
  poweredOn: "", poweredOff: "Bluetooth is off", resetting: "bluetoothd is not running",
  unsupported: "the adapter was removed", unauthorized: "access to Bluetooth is refused", unknown: "not ready yet",
};

function notice(...content) {
  part("notice").replaceChildren(...content);
  part("waiting").hidden = false;
  part("content").hidden = true;
}

function connection(text, tone) {
  say(part("connection"), text);
  part("connection").className = `pill ${tone}`;
}

function choose(key) {
  shown = key;
  stream?.stop();
  log.peripheral = key;
  part("content").hidden = true;
  parts = { cards: new Cards(key), actions: new Actions(key), faults: new Faults(key) };
  stream = follow(key, { take, refused, lost: () => connection("dittojay ui does not answer", "bad") });
}

function refused() {
  forgetToken();
  locked();
}

function locked() {
  connection("locked", "bad");
  notice("Open the address that ", make("code", {}, "dittojay ui"), " printed. It contains a secret that this address lacks.");
}

function showSources(sources) {
  const all = sources.flatMap(({ peripherals }) => peripherals);
  part("choice").hidden = all.length < 2;
  const select = part("peripherals");
  select.replaceChildren(...all.map(({ key, name, adapter }) => make("option", { value: key }, `${name} (${adapter})`)));
  if (all.some(({ key }) => key === shown)) {
    select.value = shown;
  } else if (all.length > 0) {
    choose(all[0].key);
  } else {
    connection("no dittojay", "bad");
    const paths = sources.flatMap(({ socket }, index) => [index ? ", " : "", make("code", {}, socket)]);
    notice("No dittojay is running at ", ...paths, ". This page shows it as soon as it starts.");
  }
}

function showSample({ peripheral, status, characteristics, signals }) {
  if (peripheral !== shown) return;
  part("waiting").hidden = true;
  part("content").hidden = false;
  document.title = `${status.name} · dittojay`;
  say(part("name"), status.name);
  say(part("about"), `${words(status.profile)} · ${status.adapter} ${status.address} · seed ${status.seed}`);
  const trouble = states[status.state] ?? status.state;
  const count = status.centrals.length;
  const text = count ? `${count} central${count === 1 ? "" : "s"} connected` : status.isAdvertising ? "advertising" : "not advertising";
  connection(trouble || text, trouble ? "bad" : count || status.isAdvertising ? "good" : "");
  parts.cards.show(status, characteristics, performance.now());
  parts.actions.show(status, characteristics);
  parts.faults.show(status.faults, characteristics);
  showCentrals(peripheral, status.centrals, signals);
  document.documentElement.dataset.ready = "yes";
}

function take(message) {
  switch (message.type) {
    case "begin": return log.begin();
    case "sources": return showSources(message.sources);
    case "event": return log.add(message.content);
    case "missed": return log.missed(message.count);
    case "radio": return map.show(message.status);
    case "sample":
      log.isPast = false;
      return showSample(message);
  }
}

part("peripherals").addEventListener("change", (event) => choose(event.target.value));
if (hasToken()) choose("");
else locked();
