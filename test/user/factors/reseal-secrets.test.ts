import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { factorRecord } from '@gatehouse/shared/identity/second-factor';
import { expect, test } from 'vitest';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { resealSecrets } from '../../../services/user/factors/reseal-secrets.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { enrolled } from '../../fixtures/enrolled.ts';
import { newMember } from '../../fixtures/members.ts';
import { JWT_SECRET, testConfig } from '../../fixtures/services.ts';

test('a start reseals what the previous key sealed; a secret that no key opens is kept', async () => {
  const { db, drop } = await freshDatabase(COLLECTIONS);
  await newMember(db);
  const user = await enrolled(db, testClock());
  const lost = await enrolled(db, testClock());
  await db.users.updateOne({ email: lost.email }, { $set: { 'second_factor.secret': 'zzzzzzzz.a.b.c' } });
  const NEXT = 'the next secret of the tests, 32 bytes and more';
  const stored = async ({ email }: { email: string }) =>
    (await db.users.findOne({ email }))?.second_factor ?? { id: '', secret: '' };
  const config = testConfig('user', { JWT_SECRET: NEXT, JWT_SECRET_PREVIOUS: JWT_SECRET });
  await Promise.all([resealSecrets({ config, db }), resealSecrets({ config, db })]);
  const { id, secret } = await stored(user);
  expect(createFactorSecrets({ JWT_SECRET: NEXT }).open(secret, factorRecord(id))).toBe(user.secret);
  await resealSecrets({ config, db });
  expect(await stored(user)).toMatchObject({ secret });
  expect(await stored(lost)).toMatchObject({ secret: 'zzzzzzzz.a.b.c' });
  await drop();
});
