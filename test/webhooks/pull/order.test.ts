import { randomInt } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { type Accept, createAccept } from '@gatehouse/webhooks/accept';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openIntakes } from '../../../packages/webhooks/intake/event-log.ts';
import { createRepair } from '../../../packages/webhooks/intake/repair.ts';
import { readEvents } from '../../../packages/webhooks/pull/read-events.ts';
import { COLLECTIONS, type Database } from '../../../services/user/database.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { DATA } from '../event-samples.ts';
import { hostOf } from '../host.ts';

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let reader: Database;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  reader = database.db;
});
afterAll(() => database.drop());
beforeEach(async () => {
  await Promise.all([reader.events.deleteMany({}), reader.eventLog.deleteMany({})]);
});

/**
 * A process with its own connection and clock.
 * @param beforeInsert runs between the reservation of the positions and the write of the events.
 */
async function startProcess({
  skew = 0,
  beforeInsert = async () => {},
}: {
  skew?: number;
  beforeInsert?: () => Promise<unknown>;
} = {}) {
  const own = await connect(database.uri, COLLECTIONS, { appName: 'publisher' });
  const insertMany = own.events.insertMany.bind(own.events);
  own.events.insertMany = async (...args) => {
    await beforeInsert();
    return insertMany(...args);
  };
  let time = Date.now() + skew;
  const options = { db: own, host: hostOf(own), now: () => time, deliveriesAdded: async () => {} };
  const accept: Accept = createAccept(options);
  return {
    publish: (id: string) =>
      accept({
        id,
        event: 'conversation.started',
        audience: { owner_id: 'User-1', organization_id: null, department_id: null, chatbot_id: null },
        data: DATA['conversation.started'],
      }),
    repair: createRepair(options),
    advance: (seconds: number) => {
      time += seconds * 1_000;
    },
    stop: () => own.close(),
  };
}

/** Reads on from where it was. */
function startReading(limit = 500) {
  let after: string | undefined;
  const ids: string[] = [];
  return {
    ids,
    async read() {
      const { events, next_after } = await readEvents(reader, {}, { after, limit });
      ids.push(...events.map(({ _id }) => _id));
      after = next_after ?? undefined;
      return events.length;
    },
  };
}

/** Holds whatever waits for it until it is released. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    wait: () => {
      reached.resolve();
      return released.promise;
    },
    reached: reached.promise,
    release: released.resolve,
  };
}

test('an event that is stored late comes before those that were accepted after it', async () => {
  const held = gate();
  const [slow, fast] = [await startProcess({ beforeInsert: held.wait }), await startProcess()];
  const reading = startReading();
  await fast.publish('first');
  const late = slow.publish('late');
  await held.reached;
  await fast.publish('next');
  await reading.read();
  expect(reading.ids).toEqual(['first']);
  held.release();
  await late;
  await reading.read();
  expect(reading.ids).toEqual(['first', 'late', 'next']);
  await Promise.all([slow.stop(), fast.stop()]);
});

test('an intake that was killed holds readers back until it is repaired, and can store nothing afterwards', async () => {
  const held = gate();
  const [stalled, other] = [await startProcess({ beforeInsert: held.wait }), await startProcess()];
  const reading = startReading();
  const lost = stalled.publish('lost');
  lost.catch(() => {});
  await held.reached;
  await other.publish('next');
  await other.repair();
  await reading.read();
  expect(reading.ids).toEqual([]);
  other.advance(10);
  // Two at once, as in two processes.
  await Promise.all([other.repair(), other.repair()]);
  await reading.read();
  expect(reading.ids).toEqual(['next']);
  // The write arrives after all.
  held.release();
  await expect(lost).rejects.toMatchObject({ reason: 'unavailable' });
  expect(await stalled.publish('lost')).toBe('accepted');
  await reading.read();
  expect(reading.ids).toEqual(['next', 'lost']);
  expect(await openIntakes(reader)).toEqual([]);
  await Promise.all([stalled.stop(), other.stop()]);
});

test('concurrent readers get each event once and in order, whatever the clocks and delays of the publishers', async () => {
  const PROCESSES = 3;
  const CALLS = 15;
  /** Delays each write by some turns of the event loop. */
  const delay = async () => {
    for (let turns = randomInt(30); turns > 0; turns -= 1) await new Promise(setImmediate);
  };
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      startProcess({ skew: (index - 1) * 3_600_000, beforeInsert: delay }),
    ),
  );
  const readers = [startReading(500), startReading(7), startReading(1)];
  const accepted: string[] = [];
  let publishing = true;
  const published = Promise.all(
    processes.map(async ({ publish }, index) => {
      for (let call = 0; call < CALLS; call += 1) {
        const ids = Array.from({ length: randomInt(1, 6) }, (_, part) => `${index}:${call}:${part}`);
        // Some are published again, as after a lost answer.
        await Promise.all([...ids, ...ids.slice(0, randomInt(2))].map(publish));
        accepted.push(...ids);
      }
    }),
  ).finally(() => {
    publishing = false;
  });
  const read = readers.map(async (reading) => {
    while (publishing) await reading.read();
    while ((await reading.read()) > 0);
  });
  await Promise.all([published, ...read]);

  const [{ ids: all }, ...others] = readers as [(typeof readers)[0], ...typeof readers];
  expect(all.toSorted()).toEqual(accepted.toSorted());
  for (const { ids } of others) expect(ids).toEqual(all);
  // The events of one process stay in the order of their calls, and those of one call in the order of its array.
  for (let index = 0; index < PROCESSES; index += 1) {
    const own = all.filter((id) => id.startsWith(`${index}:`)).map((id) => id.split(':').map(Number));
    const inOrder = own.toSorted(([, a = 0, c = 0], [, b = 0, d = 0]) => a - b || c - d);
    expect(own).toEqual(inOrder);
  }
  await Promise.all(processes.map(({ stop }) => stop()));
});

test('positions continue after the last event if the log is lost', async () => {
  const publisher = await startProcess();
  const reading = startReading();
  await publisher.publish('before');
  await reading.read();
  await reader.eventLog.deleteMany({});
  await Promise.all([publisher.publish('after'), publisher.publish('that')]);
  await reading.read();
  expect(reading.ids).toEqual(['before', 'after', 'that']);
  await publisher.stop();
});
