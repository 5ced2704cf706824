import type { Config } from '@gatehouse/shared/config';
import { createServer } from '@gatehouse/shared/http/server';
import { ensureAllFeatures } from '@gatehouse/shared/identity/features';
import { createPasswords, type Passwords } from '@gatehouse/shared/identity/passwords';
import { requirePrincipal } from '@gatehouse/shared/identity/principal';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { account } from './account/account.ts';
import { chatbots } from './chatbots/chatbots.ts';
import { type ClosingTuning, startClosing } from './closing/start.ts';
import type { Database } from './database.ts';
import type { Mailer } from './mail.ts';
import type { ExportTuning } from './organizations/exports/worker.ts';
import { organizations } from './organizations/organizations.ts';
import { createOutbound, type OutboundTuning } from './outbound/outbound.ts';
import { scim } from './scim/scim.ts';
import { createResolveTxt, type ResolveTxt } from './sso/domains/resolve-txt.ts';
import type { LdapTuning } from './sso/ldap/options.ts';
import type { OidcLimits } from './sso/oidc/limits.ts';
import { singleSignOn } from './sso/sso.ts';
import { eventDocument } from './webhooks/events/document.ts';
import { publishEvents } from './webhooks/intake/publish.ts';
import { createDelivery, type DeliveryTuning } from './webhooks/pipeline.ts';
import { listAllEvents } from './webhooks/pull/list-all-events.ts';
import { webhooks } from './webhooks/webhooks.ts';

export interface UserServiceOptions {
  config: Config<'user'>;
  db: Database;
  mailer: Mailer;
  passwords?: Passwords;
  /** Unix milliseconds. */
  now?: () => number;
  logStream?: { write(line: string): void };
  delivery?: DeliveryTuning;
  exportTuning?: ExportTuning;
  /** Tests inject the limits of calls to identity providers, and what DNS answers. */
  outbound?: OutboundTuning;
  ldap?: LdapTuning;
  oidc?: Partial<OidcLimits>;
  resolveTxt?: ResolveTxt;
  closing?: ClosingTuning;
}

export async function buildUserService({
  config,
  db,
  mailer,
  passwords = createPasswords(),
  now = Date.now,
  logStream,
  delivery: tuning = {},
  exportTuning = {},
  outbound: outboundTuning = {},
  ldap = {},
  oidc = {},
  resolveTxt = createResolveTxt(),
  closing,
}: UserServiceOptions) {
  const tokens = createTokens(config);
  const app = await createServer({
    name: 'user',
    description:
      'Signup, one-time codes by e-mail, password reset, profiles, chatbots, organizations, webhooks and single sign-on.',
    config,
    brand: config,
    checks: {
      mongodb: { needed: true, check: db.ping },
      smtp: { needed: false, check: mailer.verify },
    },
    hooks: (server) => server.register(requirePrincipal, { users: db.users, tokens, now }),
    webhooks: eventDocument(),
    now,
    ...(logStream && { logStream }),
  });
  await addOperations(app, account, { config, db, mailer, passwords, tokens, now });
  const wakeClosing = startClosing(app, { config, db, now, closing });
  await app.register(organizations, { config, db, mailer, now, wakeClosing, exportTuning });
  const delivery = createDelivery(app, { config, db, mailer, now, ...tuning });
  await addOperations(app, chatbots, { config, db, now, accept: delivery.accept });
  await app.register(webhooks, { db, now, ...delivery });
  await app.register(publishEvents, { config, db, accept: delivery.accept });
  await app.register(listAllEvents, { config, db });
  const outbound = createOutbound(config, outboundTuning);
  app.addHook('onClose', () => outbound.close());
  const { secrets } = delivery;
  await app.register(singleSignOn, {
    config,
    db,
    mailer,
    tokens,
    secrets,
    outbound,
    resolveTxt,
    oidc,
    ldap,
    now,
  });
  await app.register(scim, { config, db, mailer, now });
  app.addHook('onReady', () => ensureAllFeatures(db, now()));
  return app;
}
