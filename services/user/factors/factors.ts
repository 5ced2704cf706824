import { beginTotp } from './begin-totp.ts';
import { confirmTotp } from './confirm-totp.ts';
import { disableTotp } from './disable-totp.ts';
import { readFactors } from './read-factors.ts';
import { replaceRecoveryCodes } from './replace-recovery-codes.ts';
import { requestReset } from './request-reset.ts';

/** The operations on second factors. */
export const factors = [readFactors, beginTotp, confirmTotp, disableTotp, replaceRecoveryCodes, requestReset];
