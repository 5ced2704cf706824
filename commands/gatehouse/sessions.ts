import { personOf, resource, segment } from './admin/resource.ts';
import type { Command } from './command.ts';

const PATH = '/api/v1/admin/people';

interface Session {
  session_id: string;
  device: { browser: string | null; os: string | null };
  address: string;
  began_at: string;
  last_used_at: string;
  support?: { mode: string; operator: string };
}

export const sessions: Command = resource({
  name: 'sessions',
  summary: 'lists the sessions of a person, and ends them',
  notes: '  <who> is an e-mail or a user_id; <session> a session_id of the list',
  verbs: {
    list: {
      args: ['<who>'],
      summary: 'the sessions that can still be used',
      async run(call) {
        const { api, args, terminal } = call;
        const who = await personOf(call, args[0] as string);
        const { sessions } = (await api.call('GET', `${PATH}/${segment(who)}`)) as { sessions: Session[] };
        terminal.result({ data: sessions }, () =>
          terminal.table(
            ['session', 'device', 'address', 'began', 'last used'],
            sessions.map(({ session_id, device, address, began_at, last_used_at, support }) => [
              session_id,
              support
                ? `support (${support.mode}) by ${support.operator}`
                : [device.browser ?? 'unknown', device.os].filter(Boolean).join(', '),
              address || '-',
              began_at,
              last_used_at,
            ]),
          ),
        );
      },
    },
    end: {
      args: ['<who>', '<session>'],
      summary: 'ends one session',
      changes: true,
      async run(call) {
        const { api, args, terminal, reason } = call;
        const [who, session_id] = args as [string, string];
        const person = await personOf(call, who);
        await api.call('DELETE', `${PATH}/${segment(person)}/sessions/${segment(session_id)}`, { reason });
        terminal.result({ session_id }, () => [terminal.text(`the session ${session_id} has ended`)]);
      },
    },
    'end-all': {
      args: ['<who>'],
      summary: 'ends every session: the person logs in again everywhere',
      changes: true,
      async run(call) {
        const { api, args, terminal, reason } = call;
        const who = await personOf(call, args[0] as string);
        const answer = await api.call('POST', `${PATH}/${segment(who)}/end-sessions`, { reason });
        terminal.result(answer as object, () => [terminal.text(`${who} has no session any more`)]);
      },
    },
  },
});
