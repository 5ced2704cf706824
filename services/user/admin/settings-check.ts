import { Resolver } from 'node:dns/promises';
import { bounded } from '@gatehouse/shared/checks/bounded';
import { checkSamlCertificates, checkTls } from '@gatehouse/shared/checks/certificates';
import { checkDatabase } from '@gatehouse/shared/checks/database';
import { type Finding, ok, warn } from '@gatehouse/shared/checks/finding';
import { checkMailDns } from '@gatehouse/shared/checks/mail-dns';
import { checkMailClock } from '@gatehouse/shared/checks/smtp-clock';
import type { Config } from '@gatehouse/shared/config';
import { riskySettings, unsafeSettings } from '@gatehouse/shared/config/production';
import { z } from 'zod';
import { COLLECTIONS } from '../database.ts';
import { checkMail } from '../mail/check.ts';
import { operation } from './operation.ts';

/** Milliseconds for one check; all are made at once, and pages wait no longer than twice as long. */
const TIMEOUT = 8_000;

const ORDER = ['fail', 'warn', 'ok'] as const;

const finding = z.object({
  check: z.string(),
  status: z.enum(ORDER).meta({
    description:
      '`fail`: something does not work; `warn`: it works, but something will go wrong, or production would refuse to start',
  }),
  found: z.string(),
  advice: z.string().nullable().meta({ description: 'What to do; null when all is well' }),
});

const settingsCheck = z
  .object({ checked_at: z.string().meta({ format: 'date-time' }), data: z.array(finding) })
  .meta({
    description: 'What was found, failures first',
    examples: [
      {
        checked_at: '2026-01-15T09:30:00.000Z',
        data: [
          {
            check: 'mail',
            status: 'fail',
            found: 'the mail server refuses: connect ECONNREFUSED 127.0.0.1:25',
            advice:
              'check SMTP_URL, and that this machine may reach the server; until then nobody gets a code',
          },
          { check: 'settings', status: 'ok', found: 'valid and safe for production', advice: null },
        ],
      },
    ],
  });

/** Checks under way, by the settings of their service: another call waits for the same ones. */
const underWay = new WeakMap<Config<'user'>, Promise<Finding[]>>();

export const checkSettings = operation('GET /api/v1/admin/settings-check', {
  needs: 'admin operator',
  byKey: true,
  summary: 'Check the settings of the user service',
  description:
    'Makes the checks of `npx gatehouse doctor` that a running user service can make of itself: whether its settings are safe, MongoDB with its version, clock and indexes, the mail server, its clock and its DNS, and the certificates of PUBLIC_URL and of SAML connections. It writes nothing, sends no mail and shows no value of a secret. Each check ends within eight seconds. The command also looks at every record, and at the settings of the gateway and the login service.',
  returns: settingsCheck,
  async handle({ config, now }) {
    const running = underWay.get(config) ?? run(config).finally(() => underWay.delete(config));
    underWay.set(config, running);
    const findings = await running;
    const data = findings
      .map(({ advice = null, ...found }) => ({ ...found, advice }))
      .toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
    return { checked_at: new Date(now()).toISOString(), data };
  },
});

async function run(config: Config<'user'>): Promise<Finding[]> {
  const { MONGODB_URI, PUBLIC_URL, SMTP_URL } = config;
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const resolveTxt = (name: string) => resolver.resolveTxt(name);
  const checks: [name: string, check: () => Promise<Finding[]>][] = [
    ['settings', async () => judgeSettings(config)],
    [
      'MongoDB',
      () =>
        checkDatabase(
          MONGODB_URI,
          { collections: Object.values(COLLECTIONS), isPart: true },
          checkSamlCertificates,
        ),
    ],
    ['mail', async () => [await checkMail(config)]],
    ['mail clock', () => checkMailClock(SMTP_URL)],
    ['mail DNS', () => checkMailDns(config, { resolveTxt })],
    ['certificate', () => checkTls(PUBLIC_URL)],
  ];
  return (await Promise.all(checks.map(([name, check]) => bounded(name, check, TIMEOUT)))).flat();
}

/** Production refuses to start with unsafe settings, so only elsewhere there are any. */
function judgeSettings(config: Config<'user'>): Finding[] {
  const lines = [...unsafeSettings(config), ...riskySettings(config)];
  const advice = 'set it in the environment or in .env; .env.example explains every setting';
  if (lines.length === 0) return [ok('settings', 'valid and safe for production')];
  return lines.map((line) => warn('settings', line, advice));
}
