import type { Config } from '@gatehouse/shared/config';
import type { Secrets } from '@gatehouse/shared/data/secrets';
import type { Startable } from '@gatehouse/shared/durable/jobs';
import { ensureAllFeatures } from '@gatehouse/shared/identity/features';
import { type createSso, UPKEEP_INTERVAL } from '@gatehouse/sso/sso';
import { DELIVERY_TIMING as WEBHOOKS } from '@gatehouse/webhooks/pipeline';
import { resealWebhookSecrets } from '@gatehouse/webhooks/reseal-secrets';
import { INTERVAL as DEPARTURES } from './access/departures/complete.ts';
import { endSelfGrants } from './access/memberships/end-self-grants.ts';
import { removeLeavingMarks } from './access/memberships/last-owner.ts';
import { datePendingInvitations } from './access/memberships/states.ts';
import { INTERVAL as DELETIONS } from './account/deletion/run.ts';
import { followChangedAddresses } from './account/follow-changed-address.ts';
import { INTERVAL as NOTICES } from './account/send-notices.ts';
import { INTERVAL as APPROVED_ACTS } from './admin/approvals/carry-out.ts';
import { INTERVAL as FIGURES } from './admin/figures/keep.ts';
import { INTERVAL as NAMES } from './admin/people/index-names.ts';
import { INTERVAL as ARCHIVE_JOBS } from './archive/jobs/run.ts';
import { INTERVAL as LINKS } from './audit-chain/link-events.ts';
import { INTERVAL as STREAM } from './audit-chain/stream/stream.ts';
import { INTERVAL as ANNOUNCEMENTS } from './chatbots/announce.ts';
import type { Database } from './database.ts';
import { INTERVAL as FACTOR_RESETS } from './factors/carry-out-resets.ts';
import { resealSecrets as resealFactors } from './factors/reseal-secrets.ts';
import { completeServiceAccountDeletions } from './keys/service-accounts/remove.ts';
import { INTERVAL as PAYMENT_NOTICES } from './organizations/departments/payment-notices.ts';
import { TIMING as EXPORTS } from './organizations/exports/worker.ts';
import { completeActivations } from './organizations/invitations/accept-verified.ts';
import { syncAll } from './scim/users/sync-account.ts';

/**
 * Everything that the user service does in the background; nothing else does. docs/ARCHITECTURE.md, "What happens after
 * kill -9", shows these tables, and a test compares them.
 */

/** The jobs that run until the service stops, with milliseconds between two looks. */
export const JOBS = {
  'deliver webhooks': { every: WEBHOOKS.poll, completes: 'deliveries in flight, which are sent again' },
  'relay audit events': { every: WEBHOOKS.poll, completes: 'audit events that are still marked' },
  'link audit events': { every: LINKS, completes: 'audit events without a link in the chain' },
  'stream audit events': { every: STREAM, completes: 'audit events that a collector has not taken' },
  'repair events': { every: WEBHOOKS.repair, completes: 'events without all their deliveries' },
  'notify webhook owners': { every: WEBHOOKS.notices, completes: 'mails about disabled webhooks' },
  'announce chatbots': {
    every: ANNOUNCEMENTS,
    completes: '`chatbot.created` of chatbots that are still marked',
  },
  'run exports': { every: EXPORTS.poll, completes: 'exports, from their last chunk' },
  'close archived places': { every: ARCHIVE_JOBS, completes: 'moves and deletions of archived places' },
  'complete departures': { every: DEPARTURES, completes: 'departures of people, after 60 s' },
  'send payment notices': { every: PAYMENT_NOTICES, completes: 'mails about failed payments' },
  'send account notices': { every: NOTICES, completes: 'mails about changes of accounts' },
  'remove reset second factors': {
    every: FACTOR_RESETS,
    completes: 'resets of second factors whose day is over',
  },
  'delete accounts': { every: DELETIONS, completes: 'deletions of accounts that are due' },
  'index names of people': { every: NAMES, completes: 'words of names that are new or changed' },
  'look after SAML connections': {
    every: UPKEEP_INTERVAL,
    completes: 'reading of metadata, and mails about expiring certificates',
  },
  'carry out approved acts': { every: APPROVED_ACTS, completes: 'acts that a second operator has approved' },
  'keep figures': { every: FIGURES, completes: 'counts of audit events; those in memory are lost' },
} as const;

/** Run once, in this order, before a service accepts calls. Each may run in several processes at a time. */
export const REPAIRS = [
  'drop marks of leaving Owners',
  'date old invitations',
  'complete activations',
  'complete changes of addresses',
  'end self-granted roles',
  'seal webhook secrets with the newest key',
  'seal connection secrets with the newest key',
  'seal factor secrets with the newest key',
  'complete deletions of connections',
  'complete unlinked identities',
  'complete deletions of service accounts',
  'end sessions of disabled connections',
  'sync provisioned accounts',
  'give features to old accounts',
] as const;

/**
 * The marks by which a killed process leaves work behind: fields that mean "complete me". One atomic write sets the mark
 * with the change that needs a second write, and the last write removes it.
 */
export const MARKS = {
  'memberships.leaving': {
    means: 'a call is about to end the role of an Owner',
    completedBy: 'drop marks of leaving Owners',
  },
  'memberships.revocation': {
    means: 'a role was lowered; what its holder granted themselves must end',
    completedBy: 'end self-granted roles',
  },
  'operator_claims.claimed_by': {
    means: 'the account becomes the first operator; a new link replaces the mark after a minute',
    completedBy: null,
  },
  'operators.leaving': {
    means: 'a call is about to end the level of an admin; the next such call removes the mark after a minute',
    completedBy: null,
  },
  'memberships.adding': {
    means: 'an invitation becomes a membership without an answer; left alone, it stays an invitation',
    completedBy: null,
  },
  'users.activated_at': {
    means: 'a verified account has yet to get its features and invitations',
    completedBy: 'complete activations',
  },
  'users.name_words': {
    means: 'absent: the search of operators does not find the name yet',
    completedBy: 'index names of people',
  },
  'users.notices_due': {
    means: 'the person is not told yet of changes of the account',
    completedBy: 'send account notices',
  },
  'users.factor_reset': {
    means: 'the second factor ends at a date, unless its person uses it before',
    completedBy: 'remove reset second factors',
  },
  'users.deletion.begun_at': {
    means: 'the deletion of an account has begun',
    completedBy: 'delete accounts',
  },
  'users.address_changed': {
    means: 'memberships and invitations do not follow the changed address of an account yet',
    completedBy: 'complete changes of addresses',
  },
  'chatbots.unannounced': {
    means: 'the event `chatbot.created` is not published yet',
    completedBy: 'announce chatbots',
  },
  'audit_events.relay': {
    means: 'the webhook events of an audit event are not published yet',
    completedBy: 'relay audit events',
  },
  'audit_events.unlinked': {
    means: 'an audit event has no link in the chain yet',
    completedBy: 'link audit events',
  },
  'webhooks.notice': {
    means: 'owners are not told yet that the webhook is disabled',
    completedBy: 'notify webhook owners',
  },
  'departments.payment_grace.notice': {
    means: 'Owners are not told yet of a failed payment',
    completedBy: 'send payment notices',
  },
  'organizations.deleting, departments.deleting': {
    means: 'the deletion of an archived place has begun',
    completedBy: 'close archived places',
  },
  'sso_connections.deleted_at': {
    means: 'the deletion of a connection has begun',
    completedBy: 'complete deletions of connections',
  },
  'service_accounts.deleting': {
    means: 'the deletion of a service account has begun',
    completedBy: 'complete deletions of service accounts',
  },
  'sso_identities.unlinking': {
    means: 'the sessions of an unlinked identity must end',
    completedBy: 'complete unlinked identities',
  },
  'sso_identities.scim.unsettled': {
    means: 'the account does not follow `active` of its identity yet',
    completedBy: 'sync provisioned accounts',
  },
  'approvals.due_at': {
    means: 'an approved act is not carried out yet',
    completedBy: 'carry out approved acts',
  },
} as const satisfies Record<
  string,
  { means: string; completedBy: keyof typeof JOBS | (typeof REPAIRS)[number] | null }
>;

interface Options {
  config: Config<'user'>;
  db: Database;
  secrets: Secrets;
  /** The repairs of single sign-on. */
  sso: ReturnType<typeof createSso>['repairs'];
  /** Returns Unix milliseconds. */
  now: () => number;
  jobs: Record<keyof typeof JOBS, Startable>;
}

/** The repairs and jobs for `runInBackground`. */
export function backgroundOf({ config, db, secrets, sso, now, jobs }: Options) {
  const options = { config, db, now };
  const repairs: Record<(typeof REPAIRS)[number], () => Promise<unknown>> = {
    'drop marks of leaving Owners': () => removeLeavingMarks(db),
    'date old invitations': () => datePendingInvitations(db),
    'complete changes of addresses': () => followChangedAddresses(db, now()),
    'complete activations': () => completeActivations(db, now()),
    'end self-granted roles': () => endSelfGrants(db, {}),
    'seal webhook secrets with the newest key': () => resealWebhookSecrets(db, secrets),
    'seal connection secrets with the newest key': sso.resealSecrets,
    'seal factor secrets with the newest key': () => resealFactors(options),
    'complete deletions of connections': sso.removeInterrupted,
    'complete unlinked identities': sso.unlinkInterrupted,
    'complete deletions of service accounts': () => completeServiceAccountDeletions(db),
    'end sessions of disabled connections': sso.endInterrupted,
    'sync provisioned accounts': () => syncAll(options),
    'give features to old accounts': () => ensureAllFeatures(db, now()),
  };
  return { repairs: REPAIRS.map((name) => repairs[name]), jobs: Object.values(jobs) };
}
