import type { Range } from '../../../services/user/audit-chain/positions.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit.ts';

type Values = Parameters<Command['run']>[0]['values'];

/** The days of --from and --to. @throws {UsageError} */
export function rangeOf({ from, to }: Values): Range {
  const first = dayOf('--from', from);
  const last = dayOf('--to', to);
  if (first && last && first > last) throw new UsageError('--from is after --to');
  return { ...(first && { from: first }), ...(last && { to: last }) };
}

function dayOf(option: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const day = new Date(`${value}T00:00:00.000Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value)
    throw new UsageError(`${option} must be a day such as 2026-01-15`);
  return day;
}
