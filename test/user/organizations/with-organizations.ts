import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type OrganizationService, startOrganizationService, type Team } from './organization-service.ts';

/** The services that `withOrganizations` has started. */
export let service: OrganizationService;

/** The team of the test that runs: its own after `withTeams`, that of its file after `withTeam`. */
export let team: Team;

/** Runs the services for the tests of a file. */
export function withOrganizations(...options: Parameters<typeof startOrganizationService>): void {
  beforeAll(async () => {
    service = await startOrganizationService(...options);
  });
  afterAll(() => service.stop());
}

/** Replaces the team. */
export async function newTeam(): Promise<void> {
  team = await service.newTeam();
}

/** Gives each test a team of its own. */
export const withTeams = () => beforeEach(newTeam);

/** Gives the tests of a file one team. */
export const withTeam = () => beforeAll(newTeam);
