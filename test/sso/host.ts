import type { SsoHost } from '@gatehouse/sso/host';
import type { Database } from '../../services/user/database.ts';
import { createMailer, type Mailer } from '../../services/user/mail/mailer.ts';
import { createSsoHost } from '../../services/user/sso-host.ts';
import { testConfig } from '../fixtures/services.ts';

/** The user service as the host of single sign-on. @param mailer reaches no mail server by default. */
export const hostOf = (
  db: Database,
  now: () => number,
  mailer: Mailer = createMailer(testConfig('user')),
): SsoHost => createSsoHost({ config: testConfig('user'), db, mailer, now });
