import type { SocialHost } from '@gatehouse/sso/host';
import { link } from './link.ts';
import { logIn } from './log-in.ts';
import { openSession } from './open-session.ts';
import type { LinkOptions } from './options.ts';

/** Answers what social login asks about accounts. */
export const createSocialHost = (options: LinkOptions): SocialHost => ({
  logIn: (...login) => logIn(options, ...login),
  link: (...linking) => link(options, ...linking),
  openSession: (...code) => openSession(options, ...code),
});
