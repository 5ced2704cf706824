import { DeclarationError, readDeclaration } from '../../services/user/declaration/read.ts';
import { type AdminApi, ApiError } from './admin/api.ts';
import { openApi, orWaiting, reasonFor } from './admin/resource.ts';
import { planOperators } from './apply/operators.ts';
import { planOrganizations } from './apply/organizations.ts';
import type { Plan, Step } from './apply/plan.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `Brings operators and organizations to what a YAML file declares (docs/OPERATIONS.md, "A deployment in a file").

  npx gatehouse apply <file> --reason <text> [--dry-run] [--prune] [--yes] [--json]

It prints a plan first: + adds, ~ changes, - removes, ! is for people to do, such as to create an organization or to
accept ownership. Then it asks, and makes the changes in this order. A second run finds nothing to change.

  --dry-run         prints the plan and changes nothing
  --prune           also removes operators and archives organizations that the file does not name. It never deletes people, and
                    it leaves a section alone that the file does not have.
  --reason <text>   why, for the audit; not needed with --dry-run
  --yes             does not ask; needed where there is no terminal

With GATEHOUSE_URL and GATEHOUSE_KEY, the key of an operator, it calls that deployment, where keys change plans, quotas
and archives only. Otherwise it works directly on the database at MONGODB_URI, as "command line", also when no service runs.
Exit codes: ${EXIT.ok} as declared (or planned), ${EXIT.problems} something was refused, waits or is for people, ${EXIT.usage} wrong usage or file,
${EXIT.failed} failed; then run it again.`;

export const apply: Command = {
  summary: 'brings operators and organizations to what a file declares',
  usage: USAGE,
  options: {
    'dry-run': { type: 'boolean' },
    prune: { type: 'boolean' },
    reason: { type: 'string' },
    yes: { type: 'boolean' },
  },
  async run({ values, positionals, terminal }) {
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new UsageError('name one file');
    const isDryRun = values['dry-run'] === true;
    const reason = isDryRun ? '' : reasonFor(values);
    const declared = await readDeclaration(file).catch((error: Error) => {
      throw error instanceof DeclarationError ? new UsageError(error.message) : error;
    });
    const api = await openApi(process.env);
    try {
      const prune = values.prune === true;
      const operators = declared.operators && (await planOperators(api, declared.operators, prune));
      const organizations =
        declared.organizations && (await planOrganizations(api, declared.organizations, prune));
      const plan: Plan = {
        steps: [...(operators?.steps ?? []), ...(organizations?.steps ?? []), ...(operators?.removals ?? [])],
        manual: [...(operators?.manual ?? []), ...(organizations?.manual ?? [])],
      };
      const { steps, manual } = plan;
      terminal.show(planLines(plan, terminal));
      if (!isDryRun && steps.length > 0 && !values.yes)
        await terminal.confirm(`Make ${steps.length} changes at ${api.where}?`);
      const outcomes: Outcome[] = [];
      if (!isDryRun) for (const step of steps) outcomes.push(await take(api, step, reason));
      const changes = steps.map(({ change, what }, index) => ({
        change,
        what,
        ...(outcomes[index] ?? { outcome: 'planned' as const }),
      }));
      const open = changes.filter((each) => 'text' in each);
      terminal.result({ dry_run: isDryRun, changes, manual }, () => [
        ...open.map(({ what, text }) => terminal.paint('red', `${what}: ${text}`)),
        isDryRun || steps.length === 0
          ? `${steps.length} to change`.replace(/^0/, 'nothing')
          : `${steps.length - open.length} of ${steps.length} changes made`,
      ]);
      return open.length > 0 || manual.length > 0 ? EXIT.problems : EXIT.ok;
    } finally {
      await api.close();
    }
  },
};

/** The text says why it is not done. */
type Outcome = { outcome: 'done' } | { outcome: 'waits' | 'refused'; text: string };

/** A refusal of one change does not keep the others from being made. */
async function take(api: AdminApi, { method, path, body }: Step, reason: string): Promise<Outcome> {
  try {
    const answer = ((await api.call(method, path, { ...body, reason })) ?? {}) as object;
    return 'approval_id' in answer ? { outcome: 'waits', text: orWaiting(answer, '') } : { outcome: 'done' };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { outcome: 'refused', text: error.message };
    throw error;
  }
}

const COLORS = { '+': 'green', '~': 'yellow', '-': 'red' } as const;

const planLines = ({ steps, manual }: Plan, { paint, text }: Terminal): string[] => [
  ...steps.map(({ change, what }) => `${paint(COLORS[change], change)} ${text(what)}`),
  ...manual.map((what) => `${paint('magenta', '!')} ${text(what)}`),
];
