import type { Config } from '../config.ts';
import { type Finding, ok, warn } from './finding.ts';

type ResolveTxt = (name: string) => Promise<string[][]>;

interface Options {
  resolveTxt: ResolveTxt;
  /** The selector under which the mail server signs. */
  dkimSelector?: string | undefined;
}

/** Whether receivers can tell mails of the sender from forged ones: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489). */
export async function checkMailDns(
  { MAIL_FROM }: Pick<Config<'user'>, 'MAIL_FROM'>,
  { resolveTxt, dkimSelector }: Options,
): Promise<Finding[]> {
  const [, domain = ''] = /@([^@>\s]+)>?\s*$/.exec(MAIL_FROM) ?? [];
  if (!domain.includes('.'))
    return [ok('mail DNS', `${domain} is no public domain, so there is nothing to look up`)];
  const texts = async (name: string) => {
    try {
      return (await resolveTxt(name)).map((strings) => strings.join(''));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw error;
    }
  };
  return Promise.all([
    texts(domain).then((found) => spf(domain, found)),
    dkimSelector === undefined
      ? ok('DKIM', 'not looked up: --dkim-selector names the selector of your mail server')
      : texts(`${dkimSelector}._domainkey.${domain}`).then((found) =>
          dkim(`${dkimSelector}._domainkey.${domain}`, found),
        ),
    texts(`_dmarc.${domain}`).then((found) => dmarc(domain, found)),
  ]);
}

function spf(domain: string, texts: string[]): Finding {
  const records = texts.filter((text) => /^v=spf1(?:\s|$)/i.test(text));
  const advice = `publish one TXT record at ${domain}, such as "v=spf1 include:<your mail provider> -all"`;
  if (records.length === 0) return warn('SPF', `${domain} has no record: codes may end up as spam`, advice);
  if (records.length > 1)
    return warn('SPF', `${domain} has ${records.length} records, so receivers ignore all`, advice);
  if (/\s\+?all(?:\s|$)/i.test(records[0] as string))
    return warn('SPF', `the record of ${domain} lets everybody send (+all)`, advice);
  return ok('SPF', `${domain} has a record`);
}

function dkim(name: string, texts: string[]): Finding {
  const key = texts
    .map((text) => /(?:^|;)\s*p=([^;]*)/.exec(text)?.[1]?.trim())
    .find((value) => value !== undefined);
  const advice = `publish the public key of your mail server as a TXT record at ${name}`;
  if (key === undefined) return warn('DKIM', `there is no key at ${name}`, advice);
  return key === ''
    ? warn('DKIM', `the key at ${name} is revoked`, advice)
    : ok('DKIM', `there is a key at ${name}`);
}

function dmarc(domain: string, texts: string[]): Finding {
  const [, policy] =
    texts.map((text) => /^v=DMARC1\s*;.*?\bp=(\w+)/i.exec(text)).find((match) => match !== null) ?? [];
  const advice = `publish a TXT record at _dmarc.${domain}, such as "v=DMARC1; p=quarantine; rua=mailto:…"`;
  if (policy === undefined)
    return warn('DMARC', `${domain} has no policy: anybody can send codes in its name`, advice);
  return policy.toLowerCase() === 'none'
    ? warn('DMARC', `the policy of ${domain} is none, so forged mails are delivered`, advice)
    : ok('DMARC', `the policy of ${domain} is ${policy}`);
}
