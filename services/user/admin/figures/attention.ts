import { X509Certificate } from 'node:crypto';
import { TROUBLED } from '@gatehouse/webhooks/troubled';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { readJobs } from '../jobs/list.ts';
import { operation } from '../operation.ts';
import { MAIL_HOURS, recentMails } from './mails.ts';
import { UNITS } from './read.ts';

/** Webhooks and connections that are looked at. */
const MAX_COUNT = 1_000;
/** Days before the end of a certificate. */
const EXPIRES_SOON = 30;

const KINDS = [
  'jobs_stuck',
  'mails_failing',
  'webhooks_disabled',
  'webhooks_failing',
  'certificates_expiring',
  'approvals_pending',
] as const;

const finding = z.object({
  kind: z.enum(KINDS),
  severity: z.enum(['warning', 'error']),
  count: z.int(),
  text: z.string(),
  names: z.array(z.string()).meta({ description: 'Of jobs, connections; the first ten' }),
});
type Finding = z.infer<typeof finding>;

export const getAttention = operation('GET /api/v1/admin/attention', {
  needs: 'support operator',
  byKey: true,
  summary: 'Read what needs an operator',
  description:
    'Empty if nothing does: jobs that are stuck, mails that fail, webhooks that fail or are disabled, certificates of SAML connections that end within 30 days without a successor, and approvals that wait. Counts go up to 1,000.',
  returns: z.object({ data: z.array(finding) }).meta({
    description: 'What needs attention, errors first',
    examples: [
      {
        data: [
          {
            kind: 'webhooks_disabled',
            severity: 'warning',
            count: 2,
            text: '2 webhooks are disabled',
            names: [],
          },
        ],
      },
    ],
  }),
  async handle({ db, now }) {
    const found = await Promise.all([
      stuckJobs(db, now()),
      failingMails(db, now()),
      troubledWebhooks(db, 'disabled'),
      troubledWebhooks(db, 'failing'),
      expiringCertificates(db, now()),
      pendingApprovals(db, now()),
    ]);
    const findings = found.filter(({ count }) => count > 0);
    return { data: findings.toSorted((one, other) => one.severity.localeCompare(other.severity)) };
  },
});

const named = (names: readonly string[]): string[] => names.slice(0, 10);
const are = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one} is` : `${count} ${many} are`;

async function stuckJobs(db: Database, now: number): Promise<Finding> {
  const stuck = (await readJobs(db, now)).filter((job) => job.stuck).map(({ name }) => name);
  const text = `${are(stuck.length, 'job', 'jobs')} stuck`;
  return { kind: 'jobs_stuck', severity: 'error', count: stuck.length, text, names: named(stuck) };
}

async function failingMails(db: Database, now: number): Promise<Finding> {
  const { failed, all, isFailing } = await recentMails(db, now);
  const count = isFailing ? failed : 0;
  const text = `${count} of ${all} mails of the last ${MAIL_HOURS} hours were not accepted`;
  return { kind: 'mails_failing', severity: 'error', count, text, names: [] };
}

async function troubledWebhooks(db: Database, trouble: 'failing' | 'disabled'): Promise<Finding> {
  const count = await db.webhooks.countDocuments(TROUBLED[trouble], { limit: MAX_COUNT });
  const text =
    trouble === 'disabled'
      ? `${are(count, 'webhook', 'webhooks')} disabled`
      : `Every attempt fails at ${count} ${count === 1 ? 'webhook' : 'webhooks'}`;
  return { kind: `webhooks_${trouble}`, severity: 'warning', count, text, names: [] };
}

async function expiringCertificates(db: Database, now: number): Promise<Finding> {
  const connections = await db.ssoConnections
    .find(
      { protocol: 'saml', enabled: true, deleted_at: { $exists: false } },
      { projection: { name: 1, connection_id: 1, 'saml.certificates': 1 }, limit: MAX_COUNT },
    )
    .toArray();
  const soon = now + EXPIRES_SOON * UNITS.day;
  const expiring = connections.filter(({ saml }) =>
    (saml?.certificates ?? []).every((pem) => new X509Certificate(pem).validToDate.getTime() <= soon),
  );
  const count = expiring.length;
  const text = `The certificates of ${count} SAML ${count === 1 ? 'connection' : 'connections'} end within ${EXPIRES_SOON} days`;
  const names = named(expiring.map(({ name, connection_id }) => `${name} (${connection_id})`));
  return { kind: 'certificates_expiring', severity: 'warning', count, text, names };
}

async function pendingApprovals(db: Database, now: number): Promise<Finding> {
  const count = await db.approvals.countDocuments(
    { status: 'pending', requested_at: { $gt: new Date(now - UNITS.day) } },
    { limit: MAX_COUNT },
  );
  const text = `${count} ${count === 1 ? 'approval waits' : 'approvals wait'} for a second operator`;
  return { kind: 'approvals_pending', severity: 'warning', count, text, names: [] };
}
