import { availableParallelism } from 'node:os';
import { AppError } from '@gatehouse/shared/http/errors';
import { isPasswordHash, passwordMatches, storedPassword } from '@gatehouse/shared/identity/passwords';
import { afterEach, describe, expect, test, vi } from 'vitest';

/** While it is set, hashing waits for it: a queue can be filled without seconds of work. */
const gate = vi.hoisted(() => ({ wait: undefined as Promise<unknown> | undefined, begun: 0 }));
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const argon2 = await importOriginal<typeof import('@node-rs/argon2')>();
  const hash: typeof argon2.hash = async (...args) => {
    if (!gate.wait) return argon2.hash(...args);
    gate.begun += 1;
    await gate.wait;
    return `$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA`;
  };
  return { ...argon2, hash };
});
afterEach(() => {
  gate.wait = undefined;
  gate.begun = 0;
});

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/;
const A_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$0000000000000000000000000000000000000000000';

describe('argon2id at rest', () => {
  test('a PHC string with the parameters of OWASP, another one each time', async () => {
    const [one, two] = await Promise.all([
      storedPassword('secret', 'argon2id'),
      storedPassword('secret', 'argon2id'),
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
  ])('the very same text matches and nothing near it: %s', async (_what, password, others) => {
    const stored = await storedPassword(password, 'argon2id');
    expect(await passwordMatches(stored, password)).toBe(true);
    for (const other of others) expect(await passwordMatches(stored, other)).toBe(false);
  });

  test('the hash itself is not the password', async () => {
    const stored = await storedPassword('secret', 'argon2id');
    expect(await passwordMatches(stored, stored)).toBe(false);
  });
});

describe('plain values, of older collections or PASSWORD_STORAGE=plain', () => {
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
    // Near to a hash, and none: the password itself.
    ['$argon2id$', '$argon2id$', true],
    [`${A_HASH}\n`, `${A_HASH}\n`, true],
    ['$2b$10$N9qo8uLOickgx2ZMRZoMye', '$2b$10$N9qo8uLOickgx2ZMRZoMye', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', '$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', true],
  ])('%j against %j: %s', async (stored, submitted, matches) => {
    expect(await passwordMatches(stored, submitted)).toBe(matches);
  });

  test.each(['secret', ' ', 'a\0b', '$argon2id$', 'caf\u00e9'])(
    'plain storage keeps %j as it is',
    async (password) => {
      expect(await storedPassword(password, 'plain')).toBe(password);
    },
  );

  test.each(['plain', 'argon2id'] as const)('nobody plants a hash with %s storage', async (storage) => {
    const hashOfSecret = await storedPassword('secret', 'argon2id');
    for (const planted of [hashOfSecret, A_HASH]) {
      const stored = await storedPassword(planted, storage);
      expect(stored).toMatch(PHC);
      expect(stored).not.toBe(planted);
      expect(await passwordMatches(stored, planted)).toBe(true);
      expect(await passwordMatches(stored, 'secret')).toBe(false);
    }
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 123456],
    ['an object', { $ne: null }],
    ['an array', ['secret']],
    ['true', true],
    ['a String', new String('secret')],
  ])('a record that holds %s matches no password', async (_what, stored) => {
    for (const submitted of ['secret', '', 'undefined', 'null', '123456', 'true', String(stored)]) {
      expect(await passwordMatches(stored, submitted)).toBe(false);
    }
  });

  test('a stored value in the form of a hash that no argon2 can read matches nothing, and is no failure', async () => {
    expect(await passwordMatches('$argon2id$v=19$m=0,t=0,p=0$a$a', 'secret')).toBe(false);
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

describe('the queue', () => {
  test('takes one job a core and 128 waiting ones; what is more is unavailable at once', async () => {
    const cores = availableParallelism();
    const room = cores + 128 * cores;
    const open = Promise.withResolvers<void>();
    gate.wait = open.promise;
    const flood = Array.from({ length: room + 50 }, () => storedPassword('secret', 'argon2id'));
    const outcomes = Promise.allSettled(flood);
    const refused = (await Promise.allSettled(flood.slice(room))).map(
      (outcome) => outcome.status === 'rejected' && outcome.reason,
    );
    expect(refused).toHaveLength(50);
    for (const error of refused) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ reason: 'unavailable', status: 503, message: 'Service unavailable' });
    }
    expect(gate.begun).toBe(cores);
    // A check of a hash waits in the same queue; a plain comparison needs no turn.
    await expect(passwordMatches(A_HASH, 'secret')).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await passwordMatches('secret', 'secret')).toBe(true);
    expect(await storedPassword('secret', 'plain')).toBe('secret');
    open.resolve();
    const accepted = (await outcomes).filter(({ status }) => status === 'fulfilled');
    expect(accepted).toHaveLength(room);
    gate.wait = undefined;
    expect(await storedPassword('secret', 'argon2id')).toMatch(PHC);
  });

  test('a job that fails gives its turn back', async () => {
    const cores = availableParallelism();
    gate.wait = Promise.reject(new Error('out of memory'));
    const failing = Array.from({ length: 2 * cores }, () => storedPassword('secret', 'argon2id'));
    for (const outcome of await Promise.allSettled(failing)) {
      expect(outcome).toEqual({ status: 'rejected', reason: new Error('out of memory') });
    }
    gate.wait = undefined;
    expect(await storedPassword('secret', 'argon2id')).toMatch(PHC);
  });

  test('hashing leaves the event loop turning', async () => {
    let turns = 0;
    let working = true;
    const turn = () => {
      turns += 1;
      if (working) setImmediate(turn);
    };
    setImmediate(turn);
    const jobs = Array.from({ length: 4 * availableParallelism() }, () =>
      storedPassword('secret', 'argon2id'),
    );
    await Promise.all(jobs);
    working = false;
    // Hashed on the event loop, each job would be one turn.
    expect(turns).toBeGreaterThan(10 * jobs.length);
  });
});
