import { archiveDepartment } from './archive-department.ts';
import { archiveOrganization } from './archive-organization.ts';
import { restoreDepartment } from './restore-department.ts';
import { restoreOrganization } from './restore-organization.ts';

/** The operations that archive and restore organizations and departments. */
export const archive = [archiveOrganization, restoreOrganization, archiveDepartment, restoreDepartment];
