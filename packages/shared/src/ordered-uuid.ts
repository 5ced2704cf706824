import { randomUUIDv7 } from 'node:crypto';

const latest = { time: 0, counter: 0 };

/**
 * Returns a UUIDv7 that sorts after every earlier one of this process, also within a millisecond (RFC 9562 §6.2,
 * method 1). Those of node:crypto are in random order there.
 */
export function orderedUuid(): string {
  const now = Date.now();
  if (now > latest.time) Object.assign(latest, { time: now, counter: 0 });
  else if (latest.counter < 0xfff) latest.counter += 1;
  else Object.assign(latest, { time: latest.time + 1, counter: 0 });
  const time = latest.time.toString(16).padStart(12, '0');
  const counter = latest.counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}${randomUUIDv7().slice(18)}`;
}
