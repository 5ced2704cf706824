import { AppError } from '@gatehouse/shared/http/errors';
import { OPERATOR_LEVELS, type Operator } from '@gatehouse/shared/identity/operators';
import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';

export const EXAMPLE = {
  user_id: 'User-720415',
  level: 'support',
  added_at: AT,
  added_by: 'User-483920',
};

export const operatorRecord = z
  .object({
    user_id: z.string(),
    level: z.enum(OPERATOR_LEVELS),
    added_at: z.string().meta({ format: 'date-time' }),
    added_by: z.string().meta({ description: 'The user_id of an operator, or `command line`' }),
  })
  .meta({
    description: 'The operator',
    examples: [EXAMPLE],
  });

export const noActiveAccount = () => new AppError('notFound', { text: 'No active account has this user_id' });

export const presentOperator = ({
  _id: user_id,
  level,
  added_at,
  added_by,
}: Operator): z.infer<typeof operatorRecord> => ({
  user_id,
  level,
  added_at: added_at.toISOString(),
  added_by,
});
