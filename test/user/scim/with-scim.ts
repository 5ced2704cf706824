import { afterAll, beforeAll } from 'vitest';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Client, newClient } from './scim-client.ts';

/** What `withScim` has started: the services, and a client of a connection of an organization. */
export let service: SsoService;
export let organization: Awaited<ReturnType<SsoService['newOrganization']>>;
export let client: Client;

/** Runs the services and a SCIM client for the tests of a file. */
export function withScim(): void {
  beforeAll(async () => {
    service = await startSsoService();
    organization = await service.newOrganization();
    client = await newClient(service, organization);
  });
  afterAll(() => service.stop());
}
