import { Resolver } from 'node:dns/promises';
import { bounded } from '@gatehouse/shared/checks/bounded';
import { checkSamlCertificates, checkTls } from '@gatehouse/shared/checks/certificates';
import { checkDatabase } from '@gatehouse/shared/checks/database';
import type { Finding } from '@gatehouse/shared/checks/finding';
import { checkMailDns } from '@gatehouse/shared/checks/mail-dns';
import { checkMailClock } from '@gatehouse/shared/checks/smtp-clock';
import type { Service } from '@gatehouse/shared/config';
import { checkMail } from '../../services/user/mail/check.ts';
import type { Command } from './command.ts';
import { checkAuditChain } from './doctor/audit-chain.ts';
import { checkCaptcha } from './doctor/captcha.ts';
import { SERVICE_COLLECTIONS } from './doctor/collections.ts';
import { checkInternetClock, checkProxy, checkUpstreams } from './doctor/network.ts';
import { checkRecords } from './doctor/records.ts';
import { checkRedis } from './doctor/redis.ts';
import { checkSecrets } from './doctor/secrets.ts';
import { checkSettings, SERVICES, type Settings } from './doctor/settings.ts';
import { EXIT, UsageError } from './exit.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `Looks at the settings of the services, and at what they need: MongoDB with its indexes and records, the mail server
and its DNS, Redis, the CAPTCHA provider, the upstreams, the certificate of PUBLIC_URL, the clocks, and whether the gateway
believes a forged X-Forwarded-For. It changes nothing, and says in words what to do.

  npx gatehouse doctor [--service <name>]... [options]

  --service <name>         gateway, login or user: looks only at what this service needs, for a container that has only its
                           settings
  --dkim-selector <name>   looks up the key with which the mail server signs
  --time-url <url>         compares the clock with the Date of this web server
  --offline                asks nothing but MongoDB, the mail server and Redis
  --json                   writes the findings as JSON

It reads every record once, which takes about a minute for a million accounts; every other check ends within 20 seconds.
The exit code is ${EXIT.problems} if a check fails; warnings alone are ${EXIT.ok}.`;

export const doctor: Command = {
  summary: 'checks settings, servers and records, and says what to do',
  usage: USAGE,
  options: {
    service: { type: 'string', multiple: true },
    'dkim-selector': { type: 'string' },
    'time-url': { type: 'string' },
    offline: { type: 'boolean' },
  },
  async run({ values, terminal }) {
    const timeUrl = values['time-url'];
    if (typeof timeUrl === 'string' && !/^https?:$/.test(URL.parse(timeUrl)?.protocol ?? ''))
      throw new UsageError('--time-url must be a URL that begins with http:// or https://');
    const { settings, findings } = checkSettings(process.env, servicesOf(values.service));
    findings.push(...checkSecrets(process.env));
    const { gateway, user } = settings;
    const uri = (user ?? gateway ?? settings.login)?.MONGODB_URI;
    if (uri !== undefined)
      findings.push(
        ...(await checkDatabase(uri, { collections: SERVICE_COLLECTIONS }, async (db) => [
          ...(await checkRecords(db, (what) => terminal.progress(`reading ${what}`))),
          ...(await bounded('SAML certificate', () => checkSamlCertificates(db))),
          ...(await bounded('audit chain', async () => [await checkAuditChain(db)])),
        ])),
      );
    terminal.progress('asking the servers');
    if (user) findings.push(await checkMail(user), ...(await checkMailClock(user.SMTP_URL)));
    if (gateway) findings.push(...(await checkRedis(gateway)));
    if (!values.offline)
      findings.push(
        ...(await checkNetwork(settings, {
          dkimSelector: values['dkim-selector'] as string | undefined,
          timeUrl: timeUrl as string | undefined,
        })),
      );
    terminal.result({ findings }, () => findings.flatMap((finding) => linesOf(finding, terminal)));
    return findings.some(({ status }) => status === 'fail') ? EXIT.problems : EXIT.ok;
  },
};

/** What is asked over the network, all at once. */
async function checkNetwork(
  { gateway, user }: Settings,
  { dkimSelector, timeUrl }: { dkimSelector: string | undefined; timeUrl: string | undefined },
): Promise<Finding[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const resolveTxt = (name: string) => resolver.resolveTxt(name);
  const checks: [name: string, check: () => Promise<Finding[]>][] = [
    ['internet clock', () => checkInternetClock(timeUrl)],
  ];
  if (user) checks.push(['mail DNS', () => checkMailDns(user, { resolveTxt, dkimSelector })]);
  if (gateway)
    checks.push(
      ['CAPTCHA', () => checkCaptcha(gateway)],
      ['upstreams', () => checkUpstreams(gateway)],
      ['certificate', () => checkTls(gateway.PUBLIC_URL)],
      ['TRUST_PROXY', () => checkProxy(gateway)],
    );
  return (await Promise.all(checks.map(([name, check]) => bounded(name, check)))).flat();
}

/** @param names those of the command line; undefined means every service. */
function servicesOf(names: unknown): readonly Service[] {
  if (!Array.isArray(names)) return SERVICES;
  return names.map((name) => {
    const known = SERVICES.find((service) => service === name);
    if (!known) throw new UsageError(`--service must be one of ${SERVICES.join(', ')}`);
    return known;
  });
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

const linesOf = ({ check, status, found, advice }: Finding, { paint, text }: Terminal): string[] => [
  `${paint(COLORS[status], status.padEnd(4))}  ${text(`${check}: ${found}`)}`,
  ...(advice === undefined ? [] : [`      ${text(advice)}`]),
];
