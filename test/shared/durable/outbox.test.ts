import { sendAll } from '@gatehouse/shared/durable/outbox';
import { expect, test } from 'vitest';

/** Mails to three people. */
function outbox({ refused = [] as string[], writes = 3, stopsAfter = 3 } = {}) {
  const accepted: string[] = [];
  const updates: object[] = [];
  const warnings: object[] = [];
  const mails = ['a', 'b', 'c'].map((user_id) => ({
    user_id,
    async send() {
      if (refused.includes(user_id)) throw new Error('refused');
      accepted.push(user_id);
    },
    sent: { $pull: { recipients: user_id } },
  }));
  const options = {
    renew: async (update: object) => updates.push(update) <= writes,
    isStopping: () => updates.length >= stopsAfter,
    log: { warn: (details: object) => warnings.push(details) } as never,
    failure: 'not told yet',
  };
  return { accepted, updates, warnings, send: () => sendAll(mails, options) };
}

test('takes out each mail that was accepted', async () => {
  const { accepted, updates, send } = outbox();
  expect(await send()).toBe('sent');
  expect(accepted).toEqual(['a', 'b', 'c']);
  expect(updates).toEqual(['a', 'b', 'c'].map((recipients) => ({ $pull: { recipients } })));
});

test('keeps a mail that was refused, and sends the others', async () => {
  const { accepted, updates, warnings, send } = outbox({ refused: ['b'] });
  expect(await send()).toBe('failed');
  expect(accepted).toEqual(['a', 'c']);
  expect(updates[1]).toEqual({});
  expect(warnings).toEqual([{ err: new Error('refused'), user_id: 'b' }]);
});

test('sends no more once the lease is lost', async () => {
  const { accepted, send } = outbox({ writes: 1 });
  expect(await send()).toBe('interrupted');
  expect(accepted).toEqual(['a', 'b']);
});

test('sends no more once the service stops', async () => {
  const { accepted, send } = outbox({ stopsAfter: 1 });
  expect(await send()).toBe('interrupted');
  expect(accepted).toEqual(['a']);
});
