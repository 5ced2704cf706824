import { listPasskeys } from './list.ts';
import { passkeyOptions } from './options.ts';
import { registerPasskey } from './register.ts';
import { removePasskey } from './remove.ts';
import { renamePasskey } from './rename.ts';

/** The operations on one's own passkeys. */
export const passkeys = [passkeyOptions, registerPasskey, listPasskeys, renamePasskey, removePasskey];
