import { ROLES } from '@gatehouse/shared/access/rbac';
import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { z } from 'zod';

/** What the operations on connections share. */

export const operation = { tags: ['single sign-on'], security: [{ bearer: [] }] };

/** Each operation checks the organization of the connection itself, since the path does not name it. */
export const config = { permission: 'ownership' } as const;

export const refusals = failures('catalogue', 'invalidFormat', 'notFound', ...BEARER_FAILURES);

/** The failures of an operation with a body. */
export const bodyRefusals = { ...refusals, ...failures('catalogue', 'missingField', 'invalidFormat') };

export const connectionPath = z.object({ connection_id: z.string() });

/** The roles that a connection may give. */
export const MEMBER_ROLES = ROLES.filter((role) => role !== 'Owner') as [
  Exclude<(typeof ROLES)[number], 'Owner'>,
];
