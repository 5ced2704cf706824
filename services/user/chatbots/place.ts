import { can } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Roles } from '../access/roles.ts';

/**
 * Where in a department a new chatbot belongs.
 * @throws {AppError} notFound where its creator has no role; forbidden where it does not let him create.
 */
export function placeIn({ departments }: Roles, department_id: string) {
  const department = departments.find((each) => each.department_id === department_id);
  if (!department) throw new AppError('notFound');
  if (!can(department.role, 'create chatbot')) throw new AppError('forbidden');
  return { organization_id: department.organization_id, department_id };
}

/** That of a chatbot which is its owner's alone. */
export const NOWHERE = { organization_id: null, department_id: null };
