import { exportAudit } from './audit/export.ts';
import { keygen } from './audit/keygen.ts';
import { sign } from './audit/sign.ts';
import { verify } from './audit/verify.ts';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';

const ACTIONS: Record<string, Command['run']> = { verify, export: exportAudit, sign, keygen };

const USAGE = `Proves what was done. Audit events are linked to a chain, and a second process signs its days
(docs/OPERATIONS.md, "Proving what was done").

  npx gatehouse audit verify [--from <day>] [--to <day>] [--key <verify_key>]... [--expect <head>] [--json]
  npx gatehouse audit export <folder> [--from <day>] [--to <day>] [--format jsonl|csv] [--json]
  npx gatehouse audit sign [--json]
  npx gatehouse audit keygen [--json]

verify   compares all events with the chain and the chain with its signatures, and names each event that was changed,
         removed or inserted. The keys come from --key or AUDIT_VERIFY_KEY, or belong to AUDIT_SIGNING_KEY.
         --expect takes a head that was written down before, such as one of the log. The exit code is
         ${EXIT.ok} if everything is as it was, ${EXIT.problems} if not.
export   writes a file for each day with its events, the chain and the signature. A day that is over and has its
         file is skipped, so after an interruption the same command goes on. The file of the current day ends in .open.
sign     signs once, with AUDIT_SIGNING_KEY. For a machine of its own; otherwise the login service signs each minute.
keygen   makes a pair of keys: signing_key for AUDIT_SIGNING_KEY, verify_key for AUDIT_VERIFY_KEY.

Days are those of the chain, in UTC, such as 2026-01-15. All but keygen read MONGODB_URI.`;

export const audit: Command = {
  summary: 'verifies, exports and signs the audit trail',
  usage: USAGE,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    key: { type: 'string', multiple: true },
    expect: { type: 'string' },
    format: { type: 'string' },
  },
  async run(call) {
    const [name = '', ...positionals] = call.positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!action) throw new UsageError(`audit needs one of ${Object.keys(ACTIONS).join(', ')}`);
    return action({ ...call, positionals });
  },
};
