// What comes from dittojay ui: objects in JSON, one on each line, as long as the page is open.

import { call } from "./access.js";

const patience = 12000; // ms; there is a line at least every 5 s
const pause = 1000; // ms

/** Follows a peripheral until `stop` of the result is called. */
export function follow(peripheral, { take, refused, lost }) {
  const control = { stopped: false, abort: undefined };
  control.stop = () => {
    control.stopped = true;
    control.abort?.abort();
  };
  run(control, peripheral, { take, refused, lost });
  return control;
}

async function run(control, peripheral, handlers) {
  while (!control.stopped) {
    control.abort = new AbortController();
    try {
      const query = encodeURIComponent(peripheral);
      const response = await call(`api/stream?${query}`, { signal: control.abort.signal });
      if (response.status === 401) return handlers.refused();
      if (!response.ok) throw new Error((await response.text()).trim());
      handlers.take({ type: "begin" });
      await read(response.body.getReader(), control, handlers.take);
    } catch (error) {
      if (!control.stopped) console.debug(String(error));
    }
    if (control.stopped) return;
    handlers.lost();
    await new Promise((done) => setTimeout(done, pause));
  }
}

async function read(reader, control, take) {
  const decoder = new TextDecoder();
  let rest = "";
  let timer;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => control.abort.abort(), patience);
  };
  try {
    for (;;) {
      watch();
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) if (!control.stopped && line) take(JSON.parse(line));
    }
  } finally {
    clearTimeout(timer);
  }
}
