import { newKeyPair } from '@gatehouse/shared/identity/audit-chain/anchors';
import type { Command } from '../command.ts';
import { EXIT } from '../exit.ts';

export const keygen: Command['run'] = async ({ terminal }) => {
  const pair = newKeyPair();
  terminal.result(pair, () => [
    `signing_key  ${pair.signing_key}`,
    `verify_key   ${pair.verify_key}`,
    `key_id       ${pair.key_id}`,
    '',
    'Give signing_key to the login service alone, as AUDIT_SIGNING_KEY. Keep verify_key where auditors find it, and add it',
    'to AUDIT_VERIFY_KEY. After a change of keys, leave the earlier verify_keys there too.',
  ]);
  return EXIT.ok;
};
