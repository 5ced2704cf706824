import type { Config } from '@gatehouse/shared/config';
import { createServer } from '@gatehouse/shared/http/server';
import { ensureAllFeatures } from '@gatehouse/shared/identity/features';
import { createPasswords, type Passwords } from '@gatehouse/shared/identity/passwords';
import { requirePrincipal } from '@gatehouse/shared/identity/principal';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { endSelfGrants } from './access/end-self-grants.ts';
import { removeLeavingMarks } from './access/last-owner.ts';
import { requireMembership } from './access/membership.ts';
import { checkServiceKey } from './access/service-key.ts';
import { account } from './account/account.ts';
import { chatbots } from './chatbots/chatbots.ts';
import { type ClosingTuning, startClosing } from './closing/start.ts';
import type { Database } from './database.ts';
import type { Mailer } from './mail.ts';
import { createExportWorker, type ExportTuning } from './organizations/exports/worker.ts';
import { completeActivations } from './organizations/invitations/accept-verified.ts';
import { createAfterResponse } from './organizations/invitations/after-response.ts';
import { datePendingInvitations } from './organizations/invitations/status.ts';
import { organizations } from './organizations/organizations.ts';
import { startPaymentNotices } from './organizations/payment-notices/start.ts';
import { createOutbound, type OutboundTuning } from './outbound/outbound.ts';
import { scim } from './scim/scim.ts';
import { settleAll } from './scim/users/settle-account.ts';
import { removeInterrupted } from './sso/connections/remove.ts';
import { resealSecrets } from './sso/connections/reseal-secrets.ts';
import { unlinkInterrupted } from './sso/connections/unlink-identity.ts';
import { endInterrupted } from './sso/connections/update.ts';
import { createResolveTxt, type ResolveTxt } from './sso/domains/resolve-txt.ts';
import type { LdapTuning } from './sso/ldap/options.ts';
import type { OidcLimits } from './sso/oidc/limits.ts';
import { oidcRoutes, openIdConnect } from './sso/oidc/oidc.ts';
import { singleSignOn } from './sso/sso.ts';
import { startUpkeep } from './sso/upkeep/start.ts';
import { eventDocument } from './webhooks/events/document.ts';
import { createDelivery, type DeliveryTuning } from './webhooks/pipeline.ts';
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
  await app.register(requireMembership, { db });
  const worker = createExportWorker({ db, now, log: app.log, tuning: exportTuning });
  app.addHook('onReady', async () => worker.start());
  // Runs before the server and the database close.
  app.addHook('preClose', () => worker.stop());
  const guards = { 'service key': checkServiceKey(config) };
  const organizationDependencies = {
    config,
    db,
    mailer,
    now,
    wakeClosing: startClosing(app, { config, db, now, closing }),
    wakeExports: worker.wake,
    wakePaymentNotices: startPaymentNotices(app, { db, mailer, now }),
    afterResponse: createAfterResponse(app),
  };
  await addOperations(app, organizations, organizationDependencies, guards);
  app.addHook('onReady', async () => void (await removeLeavingMarks(db)));
  app.addHook('onReady', async () => void (await datePendingInvitations(db)));
  app.addHook('onReady', () => completeActivations(db, now()));
  app.addHook('onReady', () => endSelfGrants(db, {}));
  const delivery = createDelivery(app, { config, db, mailer, now, ...tuning });
  await addOperations(app, chatbots, { config, db, now, accept: delivery.accept });
  await addOperations(app, webhooks, { db, now, ...delivery }, guards);
  const outbound = createOutbound(config, outboundTuning);
  app.addHook('onClose', () => outbound.close());
  const { secrets } = delivery;
  const ssoDependencies = { config, db, mailer, tokens, secrets, outbound, resolveTxt, oidc, ldap, now };
  startUpkeep(app, ssoDependencies);
  app.addHook('onReady', () => resealSecrets(ssoDependencies));
  app.addHook('onReady', () => removeInterrupted(ssoDependencies));
  app.addHook('onReady', () => unlinkInterrupted(ssoDependencies));
  app.addHook('onReady', () => endInterrupted(ssoDependencies));
  await addOperations(app, singleSignOn, ssoDependencies);
  await addOperations(app, openIdConnect, oidcRoutes(ssoDependencies));
  await addOperations(app, scim, { config, db, mailer, now });
  app.addHook('onReady', () => settleAll({ config, db, now }));
  app.addHook('onReady', () => ensureAllFeatures(db, now()));
  return app;
}
