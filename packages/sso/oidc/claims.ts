import type { JWTPayload } from 'jose';
import type { UserInfoResponse } from 'openid-client';

/** The claims of a provider about a person. */
export interface Claims {
  idToken: JWTPayload & { sub: string };
  /** Absent if the ID token says all. */
  userInfo?: UserInfoResponse;
  /** With which the provider is asked later whether the person may go on. */
  refresh_token?: string;
}
