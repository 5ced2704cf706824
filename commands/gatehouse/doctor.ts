import type { Service } from '@gatehouse/shared/config';
import { type Command, EXIT, UsageError } from './command.ts';
import { checkDatabase } from './doctor/database.ts';
import type { Finding } from './doctor/finding.ts';
import { checkRecords } from './doctor/records.ts';
import { checkMail, checkRedis } from './doctor/servers.ts';
import { checkSettings, SERVICES } from './doctor/settings.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `Looks at the settings of the services, and at what they need: MongoDB with its indexes and records, the mail server and
Redis. It changes nothing, and says in words what to do.

  npx gatehouse doctor [--service <name>]... [--json]

  --service <name>   gateway, login or user: looks only at what this service needs, for a container that has only its settings

It reads every account once, which takes about a minute for a million. The exit code is ${EXIT.problems} if a check fails; warnings
alone are ${EXIT.ok}.`;

export const doctor: Command = {
  summary: 'checks settings, servers and records, and says what to do',
  usage: USAGE,
  options: { service: { type: 'string', multiple: true } },
  async run({ values, terminal }) {
    const { settings, findings } = checkSettings(process.env, servicesOf(values.service));
    const { gateway, user } = settings;
    const uri = (user ?? gateway ?? settings.login)?.MONGODB_URI;
    if (uri !== undefined)
      findings.push(
        ...(await checkDatabase(uri, (db) =>
          checkRecords(db, (what) => terminal.progress(`reading ${what}`)),
        )),
      );
    if (user) findings.push(await checkMail(user));
    if (gateway) findings.push(await checkRedis(gateway));
    terminal.result({ findings }, () => findings.flatMap((finding) => linesOf(finding, terminal)));
    return findings.some(({ status }) => status === 'fail') ? EXIT.problems : EXIT.ok;
  },
};

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

const linesOf = ({ check, status, found, advice }: Finding, { paint }: Terminal): string[] => [
  `${paint(COLORS[status], status.padEnd(4))}  ${check}: ${found}`,
  ...(advice === undefined ? [] : [`      ${advice}`]),
];
