import { PREFIXES, PUBLIC_PREFIXES } from '@gatehouse/shared/contract/prefixes';
import type { Facts } from '@gatehouse/shared/operation/operation';
import { OPERATIONS as gateway } from '../services/gateway/routes/operations.ts';
import { OPERATIONS as login } from '../services/login/operations.ts';
import { OPERATIONS as user } from '../services/user/operations.ts';

/**
 * `npm run routes` prints who may call what, for docs/ROUTES.md. The tables follow from the operations of the services
 * and from the prefixes of the gateway.
 */

const SERVICES: [string, readonly Facts[]][] = [
  ['Gateway', gateway],
  ['Login service', login],
  ['User service', user],
];

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((cells) => cells[index]?.length ?? 0)));
  const padded = all.map((cells) => row(cells.map((cell, index) => cell.padEnd(widths[index] ?? 0))));
  return [padded[0], row(widths.map((width) => '-'.repeat(width))), ...padded.slice(1)].join('\n');
}

/** Who may call an operation: its requirement, with what holds for callers about themselves and in archived places. */
const requirementOf = ({ needs, fresh, orOneself, whileArchived }: Facts): string =>
  [
    needs,
    fresh && 'fresh session',
    orOneself && 'or oneself',
    whileArchived === true && 'also while archived',
    whileArchived === 'oneself' && 'oneself also while archived',
  ]
    .filter(Boolean)
    .join(', ');

const operations = SERVICES.map(([name, all]) => {
  const rows = all
    .filter(({ hidden }) => !hidden)
    .map((operation) => [
      `\`${operation.method} ${operation.path}\``,
      requirementOf(operation),
      operation.contract,
      (operation.audits ?? []).map((action) => `\`${action}\``).join(', '),
    ]);
  return `## ${name}\n\n${table(['operation', 'needs', 'contract', 'audits'], rows)}`;
});

const prefixes = Object.entries(PREFIXES).map(([prefix, servedBy]) => [
  `\`${prefix}\``,
  PUBLIC_PREFIXES.has(prefix as keyof typeof PREFIXES) ? 'the user service decides' : 'session',
  servedBy.startsWith('UPSTREAM_') ? `the platform service at \`${servedBy}\`` : `${servedBy} service`,
]);

console.log(`# Routes

Who may call what. \`npm run routes\` prints this page from the operations themselves; a test compares them. The roles with a permission are in [CONTRACT.md](CONTRACT.md#permissions).

${operations.join('\n\n')}

## Prefixes that the gateway forwards

${table(['prefix', 'the gateway requires', 'served by'], prefixes)}`);
