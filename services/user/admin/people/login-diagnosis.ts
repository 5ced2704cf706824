import { z } from 'zod';
import { operation } from '../operation.ts';
import { readFacts } from './diagnosis/facts.ts';
import { diagnose, SEVERITIES } from './diagnosis/findings.ts';
import { findPerson } from './find-person.ts';

const EXAMPLE = {
  finding: 'factor_locked',
  severity: 'blocks' as const,
  text: 'Too many wrong codes of the second factor: no code of the app is accepted until 2026-01-15 09:45 UTC.',
  advice: 'Ask them to wait, or to use a recovery code.',
};

const loginFinding = z.object({
  finding: z.string().meta({ description: 'Names the kind; only `attempt` repeats' }),
  severity: z.enum(SEVERITIES).meta({
    description: '`blocks` refuses a login, `warns` may be why it fails, `info` is what helps to tell',
  }),
  text: z.string(),
  advice: z.string().nullable().meta({ description: 'What the operator or the person can do' }),
});

export const diagnoseLogin = operation('GET /api/v1/admin/people/{person_id}/login-diagnosis', {
  needs: 'support operator',
  byKey: true,
  summary: 'Find out why a person cannot log in',
  description:
    'Says in English what keeps a person from logging in, what may, and what is known of their latest attempts. Without a finding that `blocks`, nothing in the database refuses them.',
  returns: z.object({ data: z.array(loginFinding) }).meta({
    description: 'The findings: what blocks first, then what warns',
    examples: [{ data: [EXAMPLE] }],
  }),
  fails: ['unavailable'],
  handle: async (call) => ({
    data: diagnose(await readFacts(call, await findPerson(call.db, call.params.person_id))),
  }),
});
