import { signDays } from '@gatehouse/shared/identity/audit-chain/sign-days';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { openDatabase } from '../open-database.ts';
import { signingKey, verifyKeys } from './keys.ts';

export const sign: Command['run'] = async ({ terminal }) => {
  const key = signingKey();
  if (!key) throw new UsageError('AUDIT_SIGNING_KEY is required');
  const formerKeys = verifyKeys(undefined);
  const db = await openDatabase();
  try {
    const { anchor, signed, faults } = await signDays({ db, key, formerKeys, now: Date.now }, null);
    const head = anchor && `${anchor.first + anchor.count - 1}:${anchor.head}`;
    terminal.result({ signed, day: anchor?._id ?? null, head, key: key.id, faults }, () => [
      ...faults.map((fault) => terminal.paint('red', fault)),
      anchor ? `${anchor._id} is signed up to ${head}` : 'There is nothing to sign yet.',
    ]);
    return faults.length > 0 ? EXIT.problems : EXIT.ok;
  } finally {
    await db.close();
  }
};
