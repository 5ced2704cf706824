import { audit } from '@gatehouse/shared/identity/audit';
import type { Department } from '../../organizations/records.ts';
import type { ScimCall } from '../call.ts';

interface Fields {
  displayName?: string;
  external_id?: string | null;
}

const fieldsOf = ({ displayName, external_id }: Fields) => ({
  ...(displayName !== undefined && { displayName }),
  ...(external_id !== undefined && { externalId: external_id }),
});

/** Audits a change of a group. Its members have events of their own. */
export const auditGroup = (
  { options, request, connection }: ScimCall,
  { department_id }: Pick<Department, 'department_id'>,
  { before, after }: { before?: Fields; after?: Fields },
) =>
  audit(options.db, request, options.now(), {
    action: 'scim.group',
    target: { connection_id: connection.connection_id },
    before: before ? fieldsOf(before) : null,
    after: after ? fieldsOf(after) : null,
    organization_id: connection.organization_id,
    department_id,
  });
