import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import type { AdminApi } from './api.ts';
import { openHttp } from './over-http.ts';

/** The call of a verb. */
export interface AdminCall {
  api: AdminApi;
  args: readonly string[];
  values: Parameters<Command['run']>[0]['values'];
  terminal: Terminal;
  /** Set for a verb that changes something. */
  reason: string;
}

/** One thing that can be done with a resource. */
export interface Verb {
  /** The arguments, for example `<who>`; each is required. */
  args: readonly string[];
  /** Half a line for the list. */
  summary: string;
  /** Whether it changes something: then it needs a reason. */
  changes?: boolean;
  /** Whether it works on the database only. */
  directly?: boolean;
  /** What is asked before, without --yes. */
  confirm?: (args: readonly string[]) => string;
  run(call: AdminCall): Promise<void>;
}

/** Something that only whoever has the database can do. */
interface DirectVerb extends Pick<Verb, 'args' | 'summary'> {
  runDirectly(terminal: Terminal): Promise<void>;
}

interface Resource {
  name: string;
  summary: string;
  /** What `--help` says besides. */
  notes: string;
  options?: Command['options'];
  verbs: Record<string, Verb | DirectVerb>;
}

/** A command that works on the admin API. */
export function resource({ name, summary, notes, options = {}, verbs }: Resource): Command {
  const lines = Object.entries(verbs).map(
    ([verb, { args, summary: what }]) => `  ${[verb, ...args].join(' ').padEnd(34)} ${what}`,
  );
  return {
    summary,
    usage: `npx gatehouse ${name} <what> [options]

${lines.join('\n')}

${notes}

  --reason <text>   why, for every change; the person or organization concerned can read it
  --yes             does not ask before what cannot be undone; needed where there is no terminal
  --json            writes the answer as JSON

With GATEHOUSE_URL and GATEHOUSE_KEY, the key of an operator, it calls that deployment. Otherwise it works directly on the
database at MONGODB_URI, as "command line", also when no service runs.
Exit codes: ${EXIT.ok} done, ${EXIT.usage} wrong usage, ${EXIT.failed} refused or failed.`,
    options: { ...options, reason: { type: 'string' }, yes: { type: 'boolean' } },
    async run({ values, positionals, terminal }) {
      const [what = '', ...args] = positionals;
      const verb = Object.hasOwn(verbs, what) ? verbs[what] : undefined;
      if (!verb) throw new UsageError(`say what: ${Object.keys(verbs).join(', ')}`);
      if (args.length !== verb.args.length)
        throw new UsageError(`${name} ${what} takes ${verb.args.join(' ') || 'no argument'}`);
      if (('runDirectly' in verb || verb.directly) && process.env.GATEHOUSE_URL)
        throw new UsageError(`${name} ${what} works on MONGODB_URI only; unset GATEHOUSE_URL`);
      if ('runDirectly' in verb) {
        await verb.runDirectly(terminal);
        return EXIT.ok;
      }
      const reason = verb.changes ? reasonFor(values) : '';
      if (verb.confirm && !values.yes) await terminal.confirm(verb.confirm(args));
      const api = await openApi(process.env);
      try {
        await verb.run({ api, args, values, terminal, reason });
        return EXIT.ok;
      } finally {
        await api.close();
      }
    },
  };
}

/** The deployment at GATEHOUSE_URL, or the database at MONGODB_URI. @throws {UsageError} */
export async function openApi(env: NodeJS.ProcessEnv): Promise<AdminApi> {
  const { GATEHOUSE_URL: url, GATEHOUSE_KEY: key } = env;
  if (!url && !key) return (await import('./in-process.ts')).openInProcess(env);
  if (!url || !key) throw new UsageError('GATEHOUSE_URL and GATEHOUSE_KEY need each other');
  return openHttp(url, key);
}

/** Why a change is made. @throws {UsageError} */
export function reasonFor({ reason }: AdminCall['values']): string {
  const text = typeof reason === 'string' ? reason.trim() : '';
  if (text.length < 3) throw new UsageError('--reason must say why, in 3 characters or more');
  return text;
}

/** The person_id of a person, who is named by it or by the e-mail. */
export const personOf = async ({ api }: AdminCall, who: string): Promise<string> =>
  who.includes('@') ? api.personIdOf(who) : who;

/** A segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text);

/** What a change has done, or that it waits for the approval of another operator. */
export const orWaiting = (answer: object, done: string): string =>
  'approval_id' in answer ? `another admin must approve this (${String(answer.approval_id)})` : done;

/** One of the values of an option. @throws {UsageError} */
export function chosen<const T extends string>(
  values: AdminCall['values'],
  option: string,
  among: readonly T[],
): T {
  const value = among.find((each) => each === values[option]);
  if (value === undefined) throw new UsageError(`--${option} must be one of ${among.join(', ')}`);
  return value;
}
