import { can } from '@gatehouse/shared/access/rbac';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { anyOf } from '@gatehouse/shared/operation/lists';
import { grantsOfMember, MAX_ROLES } from '../../access/chatbot-entries.ts';
import { visibleTo } from '../../access/chatbot-roles.ts';
import { membershipOf } from '../../access/membership.ts';
import { peopleOf } from '../../access/people.ts';
import { operation } from '../operation.ts';
import { personView } from './contract.ts';

export const getPerson = operation('GET /api/v1/organizations/{organization_id}/members/{user_id}', {
  needs: 'view users',
  orOneself: true,
  summary: 'Read all roles of one person in an organization',
  description: `Returns whether the person is an Owner of the organization, their role in each department, and their latest ${MAX_ROLES} entries on access lists of its chatbots. Callers see the departments and access lists in which they have the permission, or all of them if the person is themselves; a person without a role there is 404.`,
  returns: personView,
  async handle({ db, params: { organization_id, user_id }, request }) {
    const { caller, roles } = membershipOf(request);
    const isOneself = caller === user_id;
    const seen = roles.departments.filter(
      (each) => each.organization_id === organization_id && can(each.role, 'view users'),
    );
    const own = { department_id: { $in: seen.map(({ department_id }) => department_id) } };
    const readable = isOneself ? {} : anyOf(visibleTo(caller, roles, 'view users', { organization_id }));
    const [organization, memberships, personOf, entries] = await Promise.all([
      db.organizations.findOne({ organization_id }, { projection: { owners: 1 } }),
      db.memberships.find({ organization_id, user_id, ...(!isOneself && own) }).toArray(),
      peopleOf(db, organization_id, [user_id]),
      grantsOfMember(db, { organization_id, user_id }, readable),
    ]);
    const owner = orNotFound(organization).owners.find((each) => each.user_id === user_id);
    if (!owner && memberships.length === 0) throw new AppError('notFound');
    const departments = await db.departments
      .find(
        { department_id: { $in: memberships.map(({ department_id }) => department_id) } },
        { projection: { department_id: 1, name: 1 } },
      )
      .toArray();
    const nameOf = new Map(departments.map(({ department_id, name }) => [department_id, name]));
    const { name, email } = personOf(user_id);
    const invited = memberships.find((each) => each.email !== undefined)?.email;
    return {
      user_id,
      name,
      email: invited ?? email,
      owner: owner ? { granted_by: owner.granted_by, granted_at: owner.granted_at } : null,
      departments: memberships.map(({ department_id, role, granted_by, granted_at }) => ({
        department_id,
        name: nameOf.get(department_id) ?? '',
        role,
        granted_by,
        granted_at,
      })),
      ...entries,
    };
  },
});
