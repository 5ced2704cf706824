import { emailKey } from './email.ts';

interface Provider {
  /** The domains of one mailbox; the first one names it. */
  domains: readonly string[];
  /** Whether dots in the local part mean nothing. */
  ignoresDots: boolean;
}

/** Providers that deliver several spellings of an address to one mailbox. */
const PROVIDERS: readonly Provider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignoresDots: true },
  { domains: ['proton.me', 'protonmail.com', 'pm.me'], ignoresDots: true },
  { domains: ['icloud.com', 'me.com', 'mac.com'], ignoresDots: false },
];

const BY_DOMAIN = new Map(
  PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
);

/**
 * The mailbox that an address reaches, for counting mails. Text after `+` is a tag wherever the mailbox is: at nearly
 * every provider it is, and where it is not, two people share a budget.
 */
export function mailboxOf(email: string): string {
  const key = emailKey(email);
  const at = key.lastIndexOf('@');
  const [local, domain] = [key.slice(0, at), key.slice(at + 1)];
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const provider = BY_DOMAIN.get(domain);
  if (!provider) return `${untagged}@${domain}`;
  return `${provider.ignoresDots ? untagged.replaceAll('.', '') : untagged}@${provider.domains[0]}`;
}
