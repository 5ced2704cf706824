import { TIMEOUTS } from '@gatehouse/shared/http/server';

/** Time limits in milliseconds (CONTRACT.md §Timeouts, §CAPTCHA); tests inject small ones. */
export const LIMITS = {
  /** For a form or JSON body to arrive, and for silence within an upload. */
  body: 30_000,
  /** For silence of our own services. */
  services: 15_000,
  /** For silence of a platform service. */
  platform: 30_000,
  /** For silence of a client, such as one that does not read its response. */
  idle: TIMEOUTS.idle,
  /** For the CAPTCHA provider's whole response. */
  captcha: 5_000,
  /** For a service to send its OpenAPI document, which it builds when it is first asked. */
  document: 10_000,
  /** For Redis to run a command. */
  redis: 1_000,
};

export type Limits = typeof LIMITS;
