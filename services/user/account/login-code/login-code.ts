import { requestCode, requestCodeDirect } from './request.ts';
import { verifyCode, verifyCodeDirect } from './verify.ts';

/** The login by a mailed code, which LOGIN_BY_CODE turns on. */
export const loginCode = [requestCode, requestCodeDirect, verifyCode, verifyCodeDirect];
