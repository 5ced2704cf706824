import { availableParallelism } from 'node:os';
import { AppError } from '@gatehouse/shared/http/errors';
import { createPasswords, isPasswordHash, isTooCostly } from '@gatehouse/shared/identity/passwords';
import PQueue from 'p-queue';
import { describe, expect, test } from 'vitest';

const passwords = createPasswords();

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/;
const A_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$0000000000000000000000000000000000000000000';

describe('argon2id at rest', () => {
  test('stores a PHC string with the OWASP parameters and a fresh salt', async () => {
    const [one, two] = await Promise.all([
      passwords.encode('secret', 'argon2id'),
      passwords.encode('secret', 'argon2id'),
    ]);
    expect(one).toMatch(PHC);
    expect(two).toMatch(PHC);
    expect(one).not.toBe(two);
    expect(isPasswordHash(one)).toBe(true);
  });

  test.each<[string, string, string[]]>([
    ['case', 'Secret', ['secret', 'SECRET']],
    ['a trailing space', 'secret ', ['secret', 'secret  ']],
    ['a leading space', ' secret', ['secret']],
    ['a line feed', 'secret\n', ['secret', 'secret\r\n']],
    ['NFC and NFD', 'caf\u00e9', ['cafe\u0301']],
    ['look-alikes', 'K', ['\u212A', '\uFF2B']],
    ['NUL', 'a\0b', ['a', 'a\0c', 'ab']],
    ['one space', ' ', ['', '  ']],
    ['the last of 1024 bytes', `${'x'.repeat(1023)}y`, ['x'.repeat(1023), `${'x'.repeat(1023)}z`]],
    ['1024 bytes of UTF-8', '😀'.repeat(256), ['😀'.repeat(255)]],
  ])('matches the exact text only: %s', async (_what, password, others) => {
    const stored = await passwords.encode(password, 'argon2id');
    expect(await passwords.matches({ password: stored }, password)).toBe(true);
    for (const other of others) expect(await passwords.matches({ password: stored }, other)).toBe(false);
  });

  test('the hash is not accepted as the password', async () => {
    const stored = await passwords.encode('secret', 'argon2id');
    expect(await passwords.matches({ password: stored }, stored)).toBe(false);
  });
});

describe('plain values, from older collections or PASSWORD_STORAGE=plain', () => {
  test.each<[string, string, boolean]>([
    ['secret', 'secret', true],
    ['secret', 'Secret', false],
    ['secret', 'secret ', false],
    ['secret', '', false],
    ['', '', true],
    ['caf\u00e9', 'cafe\u0301', false],
    ['a\0b', 'a\0b', true],
    ['a\0b', 'a', false],
    ['x'.repeat(100_000), 'x'.repeat(100_000), true],
    // These only resemble a hash, so they are the password.
    ['$argon2id$', '$argon2id$', true],
    [`${A_HASH}\n`, `${A_HASH}\n`, true],
    ['$2b$10$N9qo8uLOickgx2ZMRZoMye', '$2b$10$N9qo8uLOickgx2ZMRZoMye', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', '$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', true],
  ])('stored %j, submitted %j: %s', async (stored, submitted, matches) => {
    expect(await passwords.matches({ password: stored }, submitted)).toBe(matches);
  });

  test.each(['secret', ' ', 'a\0b', '$argon2id$', 'caf\u00e9'])(
    'plain storage keeps %j unchanged',
    async (password) => {
      expect(await passwords.encode(password, 'plain')).toBe(password);
    },
  );

  test.each(['plain', 'argon2id'] as const)(
    '%s storage hashes a password that looks like a hash',
    async (storage) => {
      const hashOfSecret = await passwords.encode('secret', 'argon2id');
      for (const planted of [hashOfSecret, A_HASH]) {
        const stored = await passwords.encode(planted, storage);
        expect(stored).toMatch(PHC);
        expect(stored).not.toBe(planted);
        expect(await passwords.matches({ password: stored }, planted)).toBe(true);
        expect(await passwords.matches({ password: stored }, 'secret')).toBe(false);
      }
    },
  );

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 123456],
    ['an object', { $ne: null }],
    ['an array', ['secret']],
    ['true', true],
    ['a String', new String('secret')],
  ])('a stored value of %s matches no password', async (_what, stored) => {
    for (const submitted of ['secret', '', 'undefined', 'null', '123456', 'true', String(stored)]) {
      expect(await passwords.matches({ password: stored }, submitted)).toBe(false);
    }
  });

  test.each<[string, string]>([
    ['a malformed salt', '$argon2id$v=19$m=0,t=0,p=0$a$a'],
    ['no lanes', A_HASH.replace('p=1', 'p=0')],
    ['no passes', A_HASH.replace('t=2', 't=0')],
    ['too little memory', A_HASH.replace('m=19456', 'm=7')],
    ['a salt that is too short', '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAA'],
    ['an output that is too short', '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAA$AAAA'],
    ['an unknown version', A_HASH.replace('v=19', 'v=1')],
  ])(
    'a stored hash with %s matches nothing, is not an error and costs a hash if asked',
    async (_what, stored) => {
      expect(await passwords.matches({ password: stored }, 'secret')).toBe(false);
      const queue = new PQueue({ concurrency: 1 });
      let jobs = 0;
      queue.addEventListener('completed', () => {
        jobs += 1;
      });
      expect(
        await createPasswords({ queue }).matches({ password: stored }, 'secret', { alwaysHash: true }),
      ).toBe(false);
      expect(jobs).toBe(2); // reading the value, and the decoy
    },
  );
});

describe('a stored hash that names a high cost', () => {
  const withCost = (cost: string) => A_HASH.replace('m=19456,t=2,p=1', cost);

  test.each([
    'm=262145,t=2,p=1',
    'm=4294967295,t=1,p=1',
    'm=99999999999999999999999,t=1,p=1',
    'm=19456,t=17,p=1',
    'm=19456,t=4294967295,p=1',
    'm=19456,t=2,p=9',
  ])('%s matches nothing and is not verified', async (cost) => {
    const { matches } = createPasswords({ maxQueued: 0 });
    const stored = withCost(cost);
    expect(isTooCostly({ password: stored })).toBe(true);
    for (const submitted of ['secret', stored])
      expect(await matches({ password: stored }, submitted)).toBe(false);
  });

  test.each(['m=262144,t=1,p=1', 'm=64,t=16,p=8'])('%s is verified', async (cost) => {
    const { matches } = createPasswords({ maxQueued: 0 });
    expect(isTooCostly({ password: withCost(cost) })).toBe(false);
    await expect(matches({ password: withCost(cost) }, 'secret')).rejects.toMatchObject({
      reason: 'unavailable',
    });
  });

  test.each([A_HASH, 'm=262145,t=17,p=9', undefined, null, 7])('%j is not too costly', (stored) => {
    expect(isTooCostly({ password: stored })).toBe(false);
  });
});

describe('alwaysHash', () => {
  test.each<[string, unknown, boolean]>([
    ['nothing', undefined, false],
    ['another plain value', 'other', false],
    ['the same plain value', 'secret', true],
    ['a number', 7, false],
    ['a hash of another password', A_HASH, false],
    ['a hash that costs too much', A_HASH.replace('t=2', 't=99'), false],
  ])('costs one hash and does not change the result: %s', async (_what, stored, matched) => {
    const queue = new PQueue({ concurrency: 1, autoStart: false });
    const { matches } = createPasswords({ queue });
    const result = matches({ password: stored }, 'secret', { alwaysHash: true });
    expect(queue.size).toBe(1);
    queue.start();
    expect(await result).toBe(matched);
  });
});

describe('isPasswordHash', () => {
  test.each<[string, boolean]>([
    [A_HASH, true],
    ['$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA', true],
    ['secret', false],
    ['', false],
    [` ${A_HASH}`, false],
    [`${A_HASH} `, false],
    [`${A_HASH}\n`, false],
    [A_HASH.toUpperCase(), false],
    ['$argon2id$m=19456,t=2,p=1$c2FsdA$aGFzaA', false],
    ['$argon2d$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', false],
    ['$argon2id$v=19$m=19456,t=2,p=1$c2FsdA', false],
  ])('%j: %s', (stored, expected) => {
    expect(isPasswordHash(stored)).toBe(expected);
  });
});

describe('the hashing queue', () => {
  /** A queue that holds its jobs until `start`. */
  const heldQueue = () => new PQueue({ concurrency: 1, autoStart: false });

  test('holds 128 jobs per core by default and refuses the next one', async () => {
    const queue = new PQueue({ concurrency: availableParallelism(), autoStart: false });
    const { encode } = createPasswords({ queue });
    const waiting = Array.from({ length: 128 * availableParallelism() }, () => encode('secret', 'argon2id'));
    await expect(encode('secret', 'argon2id')).rejects.toMatchObject({ reason: 'unavailable' });
    expect(queue.size).toBe(waiting.length);
    queue.clear();
    await Promise.allSettled(waiting);
  });

  test('refuses jobs beyond maxQueued at once and runs the others', async () => {
    const queue = heldQueue();
    const { encode, matches } = createPasswords({ queue, maxQueued: 10 });
    const flood = Array.from({ length: 15 }, () => encode('secret', 'argon2id'));
    const accepted = Promise.all(flood.slice(0, 10));
    for (const refused of flood.slice(10)) {
      const error = await refused.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ reason: 'unavailable', status: 503, message: 'Service unavailable' });
    }
    // Verifying a hash uses the same queue; plain values use none.
    await expect(matches({ password: A_HASH }, 'secret')).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await matches({ password: 'secret' }, 'secret')).toBe(true);
    expect(await encode('secret', 'plain')).toBe('secret');
    queue.start();
    for (const stored of await accepted) expect(stored).toMatch(PHC);
    expect(await encode('secret', 'argon2id')).toMatch(PHC);
  });

  test('a failed job frees its slot', async () => {
    const { encode } = createPasswords({ queue: new PQueue({ concurrency: 1 }) });
    const failing = Array.from({ length: 3 }, () => encode(undefined as unknown as string, 'argon2id'));
    for (const outcome of await Promise.allSettled(failing)) {
      expect(outcome).toStrictEqual({ status: 'rejected', reason: expect.any(Error) });
    }
    expect(await encode('secret', 'argon2id')).toMatch(PHC);
  });

  test('hashes off the event loop: it turns between two jobs', async () => {
    const { encode } = createPasswords({ queue: new PQueue({ concurrency: 1 }) });
    const order: string[] = [];
    setImmediate(() => order.push('turn'));
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        await encode('secret', 'argon2id');
        order.push('hash');
      }),
    );
    expect(order).toContain('turn');
    expect(order.at(-1)).toBe('hash');
  });
});
