import { type AdminCall, orWaiting, personOf, resource, segment, type Verb } from './admin/resource.ts';
import type { Command } from './command.ts';

const PATH = '/api/v1/admin/people';

interface Person {
  person_id: string;
  email: string;
  name: string | null;
  state: string;
  plan: string | null;
}

interface LoginFinding {
  finding: string;
  severity: 'blocks' | 'warns' | 'info';
  text: string;
  advice: string | null;
}

/** The changes of an account: what the list says, what is asked before, and what has happened then. */
const CHANGES = {
  disable: ['ends all sessions, and lets nobody in', undefined, 'is disabled'],
  enable: ['lets the person in again', undefined, 'can log in again'],
  verify: ['marks the address as verified', undefined, 'has a verified address'],
  'end-sessions': ['ends all sessions', undefined, 'has no session any more'],
  'reset-factor': [
    'ends the second factor, a day later and with a mail',
    'Reset the second factor of',
    'loses the second factor in a day',
  ],
  restore: ['cancels a deletion that the person asked for', undefined, 'is not deleted'],
  delete: ['deletes the account', 'Delete the account of', 'will be deleted'],
} as const;

const changes = Object.entries(CHANGES).map(([action, [summary, question, done]]): [string, Verb] => [
  action,
  {
    args: ['<who>'],
    summary,
    changes: true,
    ...(question && { confirm: ([who]: readonly string[]) => `${question} ${who}?` }),
    async run(call) {
      const { api, args, terminal, reason } = call;
      const who = await personOf(call, args[0] as string);
      const answer = (await api.call('POST', `${PATH}/${segment(who)}/${action}`, { reason })) as object;
      terminal.result(answer, () => [terminal.text(orWaiting(answer, `${who} ${done}`))]);
    },
  },
]);

export const users: Command = resource({
  name: 'users',
  summary: 'finds people, says why they cannot log in, and helps them',
  notes: `  <who> is an e-mail or a user_id; <text> the beginning of an e-mail or a name, or a user_id

  --page <number>   for search`,
  options: { page: { type: 'string' } },
  verbs: {
    search: {
      args: ['<text>'],
      summary: 'who matches',
      async run({ api, args, values, terminal }) {
        const query = new URLSearchParams({
          search: args[0] as string,
          limit: '50',
          page: String(values.page ?? 1),
        });
        const answer = (await api.call('GET', `${PATH}?${query}`)) as {
          data: Person[];
          pagination: { total_items: number };
        };
        terminal.result(answer, () => [
          ...terminal.table(
            ['person', 'e-mail', 'name', 'state', 'plan'],
            answer.data.map((each) => [each.person_id, each.email, each.name, each.state, each.plan]),
          ),
          `${answer.data.length} of ${answer.pagination.total_items}`,
        ]);
      },
    },
    show: {
      args: ['<who>'],
      summary: 'everything about one person',
      async run(call) {
        const { api, args, terminal } = call;
        const who = await personOf(call, args[0] as string);
        const person = (await api.call('GET', `${PATH}/${segment(who)}`)) as Record<string, unknown>;
        terminal.result(person, () => fieldLines(person, terminal));
      },
    },
    why: {
      args: ['<who>'],
      summary: 'why they cannot log in, in words',
      async run(call) {
        const { api, args, terminal } = call;
        const who = await personOf(call, args[0] as string);
        const diagnosis = (await api.call('GET', `${PATH}/${segment(who)}/login-diagnosis`)) as {
          data: LoginFinding[];
        };
        terminal.result(diagnosis, () =>
          diagnosis.data.flatMap(({ severity, text, advice }) => [
            `${terminal.paint(COLORS[severity], severity)}  ${terminal.text(text)}`,
            ...(advice ? [`      ${terminal.text(advice)}`] : []),
          ]),
        );
      },
    },
    ...Object.fromEntries(changes),
  },
});

const COLORS = { blocks: 'red', warns: 'yellow', info: 'reset' } as const;

/** One line for each field; lists and records below theirs, indented. */
function fieldLines(record: Record<string, unknown>, terminal: AdminCall['terminal'], indent = ''): string[] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (value === null || typeof value !== 'object')
      return [terminal.text(`${indent}${name}: ${value ?? '-'}`)];
    const inner = fieldLines(value as Record<string, unknown>, terminal, `${indent}  `);
    return inner.length === 0
      ? [terminal.text(`${indent}${name}: -`)]
      : [terminal.text(`${indent}${name}:`), ...inner];
  });
}
