import { scim } from '@gatehouse/scim/operations';
import type { Config } from '@gatehouse/shared/config';
import { runInBackground } from '@gatehouse/shared/durable/jobs';
import { createServer } from '@gatehouse/shared/http/server';
import { createPasswordPolicy, lookupCounter } from '@gatehouse/shared/identity/password-policy';
import { createPasswords, type Passwords } from '@gatehouse/shared/identity/passwords';
import { requirePrincipal } from '@gatehouse/shared/identity/principal';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { createOutbound, type OutboundTuning } from '@gatehouse/shared/outbound/outbound';
import { openIdConnect } from '@gatehouse/sso/openid-connect';
import { singleSignOn } from '@gatehouse/sso/operations';
import { socialLogins } from '@gatehouse/sso/social';
import { createSso, type SsoTuning } from '@gatehouse/sso/sso';
import { eventDocument } from '@gatehouse/webhooks/event-document';
import { webhooks } from '@gatehouse/webhooks/operations';
import { createDelivery, type DeliveryTuning } from '@gatehouse/webhooks/pipeline';
import { createDepartureJob } from './access/departures/complete.ts';
import { checkServiceKey } from './access/service-key.ts';
import { account } from './account/account.ts';
import { createAccountDeletions } from './account/deletion/run.ts';
import { openGeolocation } from './account/geolocation.ts';
import { loginCode } from './account/login-code/login-code.ts';
import { createAccountNotices } from './account/send-notices.ts';
import { admin } from './admin/admin.ts';
import { createApprovedActs } from './admin/approvals/carry-out.ts';
import { createFigures } from './admin/figures/keep.ts';
import { createTallies, talliedMailer } from './admin/figures/tally.ts';
import { commandLineKeys } from './admin/keys/command-line.ts';
import { approvedAdmin } from './admin/operators/approved-admin.ts';
import { approvedDeletion } from './admin/people/approved-deletion.ts';
import { createNameIndexer } from './admin/people/index-names.ts';
import { archive } from './archive/archive.ts';
import { createArchiveJobs } from './archive/jobs/run.ts';
import { createLinker } from './audit-chain/link-events.ts';
import { createCollectorClient } from './audit-chain/stream/client.ts';
import { measureLag } from './audit-chain/stream/lag.ts';
import { createStream, receiversOf } from './audit-chain/stream/stream.ts';
import { createAnnouncements } from './chatbots/announce.ts';
import { chatbots } from './chatbots/chatbots.ts';
import type { Database } from './database.ts';
import { createFactorResets } from './factors/carry-out-resets.ts';
import { factors } from './factors/factors.ts';
import { backgroundOf } from './jobs.ts';
import { keys } from './keys/keys.ts';
import { legacyLogin } from './legacy/legacy-login.ts';
import { createOldSystem } from './legacy/old-system.ts';
import { createSocialHost } from './links/host.ts';
import { links } from './links/links.ts';
import type { Mailer } from './mail/mailer.ts';
import { actAsCommandLine } from './operators/command-line.ts';
import { createPaymentNotices } from './organizations/departments/payment-notices.ts';
import { createExportWorker, type ExportTuning } from './organizations/exports/worker.ts';
import { organizations } from './organizations/organizations.ts';
import { passkeys } from './passkeys/passkeys.ts';
import { createScimHost } from './scim/host.ts';
import { createSsoHost } from './sso-host.ts';
import { createWebhookHost } from './webhook-host.ts';

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
  /** Milliseconds between two looks for names to index; tests compare whole records. */
  nameInterval?: number;
  /** Tests inject the limits of calls to identity providers, and what DNS answers. */
  outbound?: OutboundTuning;
  sso?: SsoTuning;
  /** Milliseconds for an answer of the old system. */
  legacyTimeout?: number | undefined;
  /** Serves a command that runs in this process: it is the caller of every operation, and nothing runs in the background. */
  isCommandLine?: boolean;
}

export async function buildUserService({
  config,
  db,
  mailer: givenMailer,
  passwords = createPasswords(),
  now = Date.now,
  logStream,
  delivery: tuning = {},
  exportTuning = {},
  nameInterval,
  outbound: outboundTuning = {},
  sso: ssoTuning = {},
  legacyTimeout,
  isCommandLine = false,
}: UserServiceOptions) {
  const tokens = createTokens(config);
  const tallies = createTallies();
  const mailer = talliedMailer(givenMailer, tallies);
  const locate = await openGeolocation(config.GEOIP_DATABASE);
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
    hooks: (server) =>
      isCommandLine
        ? server.register(actAsCommandLine, { now })
        : server.register(requirePrincipal, { db, tokens, now }),
    webhooks: eventDocument(),
    now,
    ...(logStream && { logStream }),
  });
  const { log } = app;
  const notices = createAccountNotices({ db, mailer, now, log });
  const { wake: wakeNotices } = notices;
  const outbound = createOutbound(config, outboundTuning);
  app.addHook('onClose', () => outbound.close());
  const passwordPolicy = createPasswordPolicy({
    config,
    outbound,
    countLookup: lookupCounter(app.metrics),
    log,
  });
  await addOperations(app, account, {
    config,
    db,
    mailer,
    passwords,
    passwordPolicy,
    tokens,
    locate,
    now,
    wakeNotices,
  });
  if (config.LOGIN_BY_CODE) await addOperations(app, loginCode, { config, db, mailer, tokens, now });
  const oldSystem = createOldSystem({ config, outbound, metrics: app.metrics, timeout: legacyTimeout });
  if (config.LEGACY_LOGIN_URL !== undefined)
    await addOperations(app, [legacyLogin], { config, db, passwords, tokens, oldSystem, now });
  const guards = { 'service key': checkServiceKey(config) };
  await addOperations(app, factors, { config, db, now, log, wakeNotices }, guards);
  await addOperations(app, keys, { config, db, now, wakeNotices });
  await addOperations(app, passkeys, { config, db, tokens, now, wakeNotices });
  const delivery = createDelivery(app, {
    config,
    db,
    host: createWebhookHost(db, mailer),
    now,
    onAttempt: (result) => tallies.count(result === 'delivered' ? 'webhook_deliveries' : 'webhook_failures'),
    ...tuning,
  });
  const { secrets, worker, relay, owners, repair, ...webhookDependencies } = delivery;
  const exportWorker = createExportWorker({ db, now, log, tuning: exportTuning });
  const archiveJobs = createArchiveJobs({ config, db, now, log });
  const paymentNotices = createPaymentNotices({ db, mailer, now, log });
  const host = createSsoHost({ config, db, mailer, now });
  const linking = { config, db, tokens, now, wakeNotices };
  const social = createSocialHost(linking);
  const sso = createSso({ config, db, host, social, tokens, secrets, outbound, now, log, ...ssoTuning });

  await addOperations(
    app,
    organizations,
    {
      config,
      db,
      mailer,
      now,
      wakeExports: exportWorker.wake,
      wakePaymentNotices: paymentNotices.wake,
    },
    guards,
  );
  await addOperations(app, archive, { db, now, wakeArchiveJobs: archiveJobs.wake });
  await addOperations(app, chatbots, { config, db, now, accept: delivery.accept });
  const approvedActs = createApprovedActs({
    db,
    now,
    log,
    acts: {
      'person.delete': approvedDeletion({ config, db, now, wakeNotices }),
      'operator.admin': approvedAdmin({ db, now }),
    },
  });
  const { carryOutNow } = approvedActs;
  const operators = isCommandLine ? [...admin, ...commandLineKeys] : admin;
  await addOperations(app, operators, { config, db, tokens, now, log, locate, wakeNotices, carryOutNow });
  await addOperations(app, webhooks, { db, now, secrets, ...webhookDependencies }, guards);
  await addOperations(app, singleSignOn, sso.singleSignOn);
  await addOperations(app, openIdConnect, sso.openIdConnect);
  await addOperations(app, socialLogins, sso.social);
  await addOperations(app, links, { ...linking, social: sso.social });
  await addOperations(app, scim, { config, db, now, host: createScimHost({ config, db, mailer, now }) });

  const receivers = receiversOf(config);
  const collectors = createCollectorClient(now);
  app.addHook('onClose', () => collectors.close());
  measureLag(app.metrics, db, receivers, now);
  const others = {
    'deliver webhooks': worker,
    'relay audit events': relay,
    'link audit events': createLinker({ db, now, log }),
    'stream audit events': createStream({ db, receivers, send: collectors.send, now, log }),
    'repair events': repair,
    'notify webhook owners': owners,
    'announce chatbots': createAnnouncements({ db, now, log, accept: delivery.accept }),
    'run exports': exportWorker,
    'close archived places': archiveJobs,
    'complete departures': createDepartureJob({ db, now, log }),
    'send payment notices': paymentNotices,
    'send account notices': notices,
    'remove reset second factors': createFactorResets({ db, now, log }),
    'delete accounts': createAccountDeletions({ config, db, now, log }),
    'index names of people': createNameIndexer({ db, log }, nameInterval),
    'look after SAML connections': sso.upkeep,
    'carry out approved acts': approvedActs,
  };
  const jobs = { ...others, 'keep figures': createFigures({ db, now, log, tallies, jobs: others }) };
  if (!isCommandLine)
    runInBackground(app, backgroundOf({ config, db, secrets, sso: sso.repairs, now, jobs }));
  return app;
}
