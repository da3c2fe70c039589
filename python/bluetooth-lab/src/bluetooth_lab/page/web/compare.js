// The difference between two records: the events of each lane's groups aligned by what they have in common (their
// keys), all of both in one order. What happens side by side, such as requests in both directions, has no order that
// two runs share: hence the groups.
import { programName } from "./lines.js";

export const SAME = 0;
export const ONLY_HERE = 1;
export const MISSING = 2;
const MAXIMUM_EDITS = 3000; // beyond, a stretch without common ground is taken as wholly different

/** `[{kind, event, other}]`: events of this record, of the other one, or of both. */
export function compareRecords(record, other) {
  const ours = byGroup(record);
  const theirs = byGroup(other);
  const rows = [];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    for (const row of compareGroup(record, other, ours.get(name) ?? [], theirs.get(name) ?? [])) rows.push(row);
  }
  rows.sort((a, b) => a.time - b.time || a.kind - b.kind);
  return rows;
}

/** Events with keys, by the lanes' names (a program's without its process number) and their groups in the lane. */
function byGroup(record) {
  const groups = new Map();
  const names = record.lanes.map((lane) => programName(lane.name));
  for (let event = 0; event < record.count; event++) {
    const key = record.key(event);
    if (!key) continue;
    const name = `${names[record.laneOf[event]]} ${record.group(event)}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push({ event, key });
  }
  return groups;
}

function compareGroup(record, other, ours, theirs) {
  const rows = [];
  // What is missing is shown where it would have been: as long after the last common event as in the other record.
  let here = record.start;
  let there = other.start;
  for (const [a, b] of align(ours.map((one) => one.key), theirs.map((one) => one.key))) {
    if (a >= 0 && b >= 0) {
      here = record.times[ours[a].event];
      there = other.times[theirs[b].event];
      rows.push({ kind: SAME, event: ours[a].event, other: theirs[b].event, time: here });
    } else if (a >= 0) {
      rows.push({ kind: ONLY_HERE, event: ours[a].event, other: -1, time: record.times[ours[a].event] });
    } else {
      const time = here + Math.max(0, other.times[theirs[b].event] - there);
      rows.push({ kind: MISSING, event: -1, other: theirs[b].event, time });
    }
  }
  return rows;
}

/** Pairs of indices, -1 where one side has nothing. */
export function align(a, b) {
  const pairs = [];
  alignPart(a, b, 0, a.length, 0, b.length, pairs);
  return pairs;
}

function alignPart(a, b, fromA, toA, fromB, toB, pairs) {
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) pairs.push([fromA++, fromB++]);
  let tail = 0;
  while (fromA < toA - tail && fromB < toB - tail && a[toA - tail - 1] === b[toB - tail - 1]) tail += 1;
  const endA = toA - tail;
  const endB = toB - tail;
  const anchors = anchorsOf(a, b, fromA, endA, fromB, endB);
  if (anchors.length) {
    for (const [anchorA, anchorB] of anchors) {
      alignPart(a, b, fromA, anchorA, fromB, anchorB, pairs);
      pairs.push([anchorA, anchorB]);
      fromA = anchorA + 1;
      fromB = anchorB + 1;
    }
    alignPart(a, b, fromA, endA, fromB, endB, pairs);
  } else shortestEdit(a, b, fromA, endA, fromB, endB, pairs);
  for (let step = 0; step < tail; step++) pairs.push([endA + step, endB + step]);
}

/** Keys that are there once on each side, in the longest order that both sides have. */
function anchorsOf(a, b, fromA, toA, fromB, toB) {
  const counts = new Map();
  const count = (keys, from, to, side) => {
    for (let index = from; index < to; index++) {
      const entry = counts.get(keys[index]) ?? [0, 0, 0, 0];
      entry[side] += 1;
      entry[2 + side] = index;
      counts.set(keys[index], entry);
    }
  };
  count(a, fromA, toA, 0);
  count(b, fromB, toB, 1);
  const unique = [...counts.values()].filter((entry) => entry[0] === 1 && entry[1] === 1)
    .map((entry) => [entry[2], entry[3]]).sort((x, y) => x[0] - y[0]);
  return longestRising(unique);
}

function longestRising(pairs) {
  const tails = [];
  const before = new Array(pairs.length).fill(-1);
  pairs.forEach(([, value], index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]][1] < value) low = middle + 1;
      else high = middle;
    }
    before[index] = low ? tails[low - 1] : -1;
    tails[low] = index;
  });
  const rising = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index]) rising.push(pairs[index]);
  return rising.reverse();
}

/** Myers' algorithm, given up beyond `MAXIMUM_EDITS`. */
function shortestEdit(a, b, fromA, toA, fromB, toB, pairs) {
  const n = toA - fromA;
  const m = toB - fromB;
  const most = Math.min(n + m, Math.floor(MAXIMUM_EDITS / 4));
  const reach = new Map([[1, 0]]);
  const trace = [];
  for (let edits = 0; n && m && edits <= most; edits++) {
    trace.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const goesDown = diagonal === -edits
        || (diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
      let x = goesDown ? reach.get(diagonal + 1) ?? 0 : (reach.get(diagonal - 1) ?? 0) + 1;
      let y = x - diagonal;
      while (x < n && y < m && a[fromA + x] === b[fromB + y]) {
        x += 1;
        y += 1;
      }
      reach.set(diagonal, x);
      if (x >= n && y >= m) {
        pairs.push(...walkBack(trace, n, m).map(([p, q]) => [p < 0 ? -1 : fromA + p, q < 0 ? -1 : fromB + q]));
        return;
      }
    }
  }
  for (let index = fromA; index < toA; index++) pairs.push([index, -1]);
  for (let index = fromB; index < toB; index++) pairs.push([-1, index]);
}

function walkBack(trace, n, m) {
  const steps = [];
  let x = n;
  let y = m;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits];
    const diagonal = x - y;
    const goesDown = diagonal === -edits
      || (diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
    const former = goesDown ? diagonal + 1 : diagonal - 1;
    const formerX = reach.get(former) ?? 0;
    const formerY = formerX - former;
    while (x > formerX && y > formerY && x > 0 && y > 0) steps.push([--x, --y]);
    if (edits > 0) {
      if (goesDown) steps.push([-1, --y]);
      else steps.push([--x, -1]);
    }
  }
  return steps.reverse();
}

