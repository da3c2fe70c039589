// Times as people read them; all are in microseconds.

const DAY = 86400e6;

/** `14:57:36.481851`, in UTC. */
export function timeOfDay(time) {
  const within = ((time % DAY) + DAY) % DAY;
  const seconds = Math.floor(within / 1e6);
  const pad = (value, digits = 2) => String(value).padStart(digits, "0");
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
    + `.${pad(Math.round(within % 1e6), 6)}`;
}

export function date(time) {
  return new Date(time / 1000).toISOString().slice(0, 10);
}

/** Seconds with microseconds: `12.034512`. */
export function seconds(time) {
  return (time / 1e6).toFixed(6);
}

/** A difference with its sign, in the unit that fits: `+1.2 ms`. */
export function difference(time) {
  const size = Math.abs(time);
  const sign = time < 0 ? "−" : "+";
  return sign + duration(size);
}

export function duration(size) {
  if (size < 1000) return `${Math.round(size)} µs`;
  if (size < 1e6) return `${(size / 1000).toFixed(size < 1e5 ? 1 : 0)} ms`;
  return `${(size / 1e6).toFixed(size < 1e8 ? 2 : 0)} s`;
}

/** A round step of time so that `most` of them cover a span. */
export function roundStep(span, most) {
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
}
