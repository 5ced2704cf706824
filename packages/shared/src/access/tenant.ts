/** An organization or one of its departments; both null for an account. */
export interface Tenant {
  organization_id: string | null;
  department_id: string | null;
}

export const tenantOf = ({
  organization_id = null,
  department_id = null,
}: { [Id in keyof Tenant]?: Tenant[Id] | undefined }): Tenant => ({ organization_id, department_id });
