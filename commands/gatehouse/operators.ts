import { loadConfig } from '@gatehouse/shared/config';
import { CLAIM_MINUTES, createFirstOperatorLink } from '../../services/user/operators/first-operator.ts';
import { allPages } from './admin/all-pages.ts';
import { chosen, orWaiting, personOf, resource, segment } from './admin/resource.ts';
import type { Command } from './command.ts';
import { openDatabase } from './open-database.ts';

const PATH = '/api/v1/admin/operators';

interface Operator {
  user_id: string;
  level: string;
  added_at: string;
  added_by: string;
}

export const operators: Command = resource({
  name: 'operators',
  summary: 'lists, adds and removes the people who run this deployment',
  notes: `  <who> is an e-mail or a user_id. The first operator is added on the database:

  npx gatehouse operators add ada@example.com --level admin --reason "runs the deployment"

or by whoever opens the link that "operators link" prints: it works once, for ${CLAIM_MINUTES} minutes, in the console at PUBLIC_URL
(ADMIN_CONSOLE=on), and only while there is no operator.

  --level <level>   admin or support, for add`,
  options: { level: { type: 'string' } },
  verbs: {
    list: {
      args: [],
      summary: 'who is an operator',
      async run({ api, terminal }) {
        const all = await allPages<Operator>(api, PATH);
        terminal.result({ data: all }, () =>
          terminal.table(
            ['user_id', 'level', 'added', 'by'],
            all.map(({ user_id, level, added_at, added_by }) => [user_id, level, added_at, added_by]),
          ),
        );
      },
    },
    add: {
      args: ['<who>'],
      summary: 'makes an account an operator, or changes its level',
      changes: true,
      async run(call) {
        const { api, args, values, terminal, reason } = call;
        const level = chosen(values, 'level', ['admin', 'support']);
        const user_id = await personOf(call, args[0] as string);
        const answer = (await api.call('PUT', `${PATH}/${segment(user_id)}`, { level, reason })) as object;
        terminal.result(answer, () => [
          terminal.text(orWaiting(answer, `${user_id} is an operator with the level ${level}`)),
        ]);
      },
    },
    link: {
      args: [],
      summary: 'a link that makes whoever opens it the first one',
      async runDirectly(terminal) {
        const { config } = loadConfig('user', {
          ...process.env,
          JWT_SECRET: 'not used here',
          NODE_ENV: 'development',
        });
        const db = await openDatabase();
        try {
          const link = await createFirstOperatorLink(db, config.PUBLIC_URL, Date.now());
          if (!link) throw new Error('there is an operator, who can add others');
          terminal.result({ link, valid_minutes: CLAIM_MINUTES }, () => [terminal.text(link)]);
        } finally {
          await db.close();
        }
      },
    },
    remove: {
      args: ['<who>'],
      summary: 'makes an operator an ordinary account',
      changes: true,
      confirm: ([who]) => `Remove the operator ${who}?`,
      async run(call) {
        const { api, args, terminal, reason } = call;
        const user_id = await personOf(call, args[0] as string);
        await api.call('DELETE', `${PATH}/${segment(user_id)}`, { reason });
        terminal.result({ user_id }, () => [terminal.text(`${user_id} is no operator any more`)]);
      },
    },
  },
});
