import { principalOf } from '@gatehouse/shared/identity/principal';
import { z } from 'zod';
import { operatorOf } from '../../operators/require-operator.ts';
import { operation } from '../operation.ts';
import { EXAMPLE, operatorRecord, presentOperator } from './contract.ts';

const ownRecord = operatorRecord
  .extend({
    mfa: z
      .boolean()
      .meta({ description: 'Whether a second factor or a passkey was presented in this session' }),
  })
  .meta({
    description: 'The caller',
    examples: [{ ...EXAMPLE, mfa: true }],
  });

export const ownLevel = operation('GET /api/v1/admin/me', {
  needs: 'support operator',
  byKey: true,
  summary: 'Get your own level as an operator',
  description: 'Returns the level of the caller, and whether the session has a second factor.',
  returns: ownRecord,
  async handle({ request }) {
    const { session } = principalOf(request);
    return { ...presentOperator(operatorOf(request)), mfa: session.mfa === true };
  },
});
