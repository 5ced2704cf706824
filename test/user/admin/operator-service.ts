import { afterAll, beforeAll } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { withOperators } from '../../fixtures/operators.ts';
import { type OrganizationService, startOrganizationService } from '../organizations/organization-service.ts';

/** The services that `withAdmin` has started. */
export let service: OrganizationService;
/** An admin, an operator of the level support, and a person who is neither. */
export let accounts: Awaited<ReturnType<typeof withOperators>>;

/** Runs the services with operators for the tests of a file. */
export function withAdmin(options: Parameters<typeof startOrganizationService>[0] = {}): void {
  beforeAll(async () => {
    service = await startOrganizationService(options);
    accounts = await withOperators(service);
  });
  afterAll(() => service.stop());
}

/** The status and body of a read by an operator of the level support. */
export const read = async (path: string) => outcome(await accounts.support.call('GET', path));

/** The status and body of a change by an admin. */
export const change = async (method: string, path: string, body: object) =>
  outcome(await accounts.admin.call(method, path, body));
