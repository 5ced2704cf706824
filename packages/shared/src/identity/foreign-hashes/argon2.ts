import { verify } from '@node-rs/argon2';
import { exceedsArgon2, undefinedIfUnreadable } from '../argon2-cost.ts';
import type { Scheme } from './scheme.ts';

/** The PHC notation, of Django with a prefix. */
export const ARGON2_SCHEMES: readonly Scheme[] = [
  {
    pattern:
      /^(?:argon2)?(\$argon2(?:i|d|id)(?:\$v=\d+)?\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)$/,
    isTooCostly: (_, memory, passes, lanes) => exceedsArgon2(memory, passes, lanes),
    verify: async (password, hash = '') =>
      (await verify(hash, password).catch(undefinedIfUnreadable)) === true,
  },
];
