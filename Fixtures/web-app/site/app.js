// Shows what a HeartRateMonitor reports.

import {HeartRateMonitor} from "./monitor.js";
import {Plot} from "./plot.js";

const get = id => document.getElementById(id);
const card = document.querySelector(".card");
const monitor = new HeartRateMonitor();
const plot = new Plot(get("plot"));
let count = 0;

monitor.addEventListener("state", ({detail: {state, text}}) => {
  card.dataset.state = state;
  get("status").textContent = text;
  get("connect").hidden = state !== "idle" && state !== "choosing";
  get("connect").disabled = state === "choosing";
  get("disconnect").hidden = state === "idle" || state === "choosing";
  if (state === "connected") get("sensor").textContent = monitor.name;
  if (state === "idle") {
    for (const id of ["rate", "sensor", "location", "contact", "interval"]) get(id).textContent = "–";
  }
});

monitor.addEventListener("measurement", ({detail: {rate, contact, intervals}}) => {
  get("rate").textContent = rate;
  get("contact").textContent = contact === null ? "not measured" : contact ? "yes" : "no";
  if (intervals.length) get("interval").textContent = `${intervals.at(-1).toFixed(2)} s`;
  card.style.setProperty("--beat", `${60 / Math.max(rate, 20)}s`);
  plot.add(rate);
  count += 1;
  get("count").textContent = count === 1 ? "1 value" : `${count} values`;
  const [low, high] = plot.range;
  get("range").textContent = `the last minute: ${low} to ${high} bpm`;
});

monitor.addEventListener("location", ({detail}) => (get("location").textContent = detail));

monitor.addEventListener("problem", ({detail}) => {
  get("error").textContent = detail ?? "";
  get("error").hidden = !detail;
});

get("connect").addEventListener("click", () => monitor.choose());
get("disconnect").addEventListener("click", () => monitor.disconnect());

if (!navigator.bluetooth) {
  get("connect").disabled = true;
  get("error").textContent = "This browser has no Web Bluetooth. Chrome, Edge and Opera have.";
  get("error").hidden = false;
}
plot.draw();
