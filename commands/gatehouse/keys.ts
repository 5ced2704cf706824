import { type AdminCall, personOf, resource, segment } from './admin/resource.ts';
import type { Command } from './command.ts';
import { UsageError } from './exit.ts';

const PATH = '/api/v1/admin/keys';

interface Key {
  key_id: string;
  name: string;
  permissions: string[];
  networks: string[];
  expires_at: string | null;
  last_used_at: string | null;
}

export const keys: Command = resource({
  name: 'keys',
  summary: 'finds, makes, rotates and deletes machine keys',
  notes: `  <owner> is an e-mail, a user_id or a service_account_id; <key> what is between gh_ and the second _

  --permission <name>    for create, once for each: such as "view admin", "admin" or "export data"
  --network <cidr>       for create, once for each network that may use it; without it: every network
  --expires <date-time>  for create: when it ends, such as 2027-01-31T00:00:00Z; without it: never
  --overlap <days>       for rotate: for how many days the former secret still works, 0 to 7

A key acts as its owner. So create and rotate work directly on the database only; elsewhere people make their own. The
key is shown once and stored nowhere: with --json as "key".`,
  options: {
    permission: { type: 'string', multiple: true },
    network: { type: 'string', multiple: true },
    expires: { type: 'string' },
    overlap: { type: 'string' },
  },
  verbs: {
    list: {
      args: ['<owner>'],
      summary: 'the keys of a person or service account',
      async run(call) {
        const query = new URLSearchParams({ owner: await personOf(call, call.args[0] as string) });
        await showKeys(call, query);
      },
    },
    show: {
      args: ['<key>'],
      summary: 'whose key it is, for one that was found somewhere',
      run: (call) => showKeys(call, new URLSearchParams({ key_id: call.args[0] as string })),
    },
    create: {
      args: ['<owner>', '<name>'],
      summary: 'makes a key with --permission',
      changes: true,
      directly: true,
      async run(call) {
        const { api, args, values, terminal, reason } = call;
        const [owner, name] = args as [string, string];
        const permissions = list(values, 'permission');
        if (permissions.length === 0) throw new UsageError('--permission is required');
        const networks = list(values, 'network');
        const made = (await api.call('POST', PATH, {
          owner: await personOf(call, owner),
          name,
          permissions,
          networks,
          expires_at: values.expires ?? null,
          reason,
        })) as { key: string };
        terminal.result(made, () => [terminal.text(made.key)]);
      },
    },
    rotate: {
      args: ['<key>'],
      summary: 'gives it a new secret; the former one works --overlap days more',
      changes: true,
      directly: true,
      async run({ api, args, values, terminal, reason }) {
        if (typeof values.overlap !== 'string' || !/^[0-7]$/.test(values.overlap))
          throw new UsageError('--overlap must be a number of days from 0 to 7');
        const path = `${PATH}/${segment(args[0] as string)}/rotate`;
        const body = { overlap_days: Number(values.overlap), reason };
        const rotated = (await api.call('POST', path, body)) as { key: string };
        terminal.result(rotated, () => [terminal.text(rotated.key)]);
      },
    },
    delete: {
      args: ['<key>'],
      summary: 'ends a key at once',
      changes: true,
      confirm: ([key]) => `Delete the key ${key}?`,
      async run({ api, args, terminal, reason }) {
        const key_id = args[0] as string;
        await api.call('DELETE', `${PATH}/${segment(key_id)}`, { reason });
        terminal.result({ key_id }, () => [terminal.text(`the key ${key_id} opens nothing any more`)]);
      },
    },
  },
});

async function showKeys({ api, terminal }: AdminCall, query: URLSearchParams): Promise<void> {
  const { keys } = (await api.call('GET', `${PATH}?${query}`)) as { keys: (Key & { owner: string })[] };
  terminal.result({ data: keys }, () =>
    terminal.table(
      ['key', 'owner', 'name', 'permissions', 'networks', 'expires', 'last used'],
      keys.map((key) => [
        key.key_id,
        key.owner,
        key.name,
        key.permissions.join(', '),
        key.networks.join(', ') || 'all',
        key.expires_at ?? 'never',
        key.last_used_at ?? 'never',
      ]),
    ),
  );
}

const list = (values: AdminCall['values'], option: string): string[] =>
  [values[option] ?? []].flat().filter((value) => typeof value === 'string');
