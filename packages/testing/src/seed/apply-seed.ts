import { applyOrganization } from './apply-organizations.ts';
import { applyStates, createPeople } from './apply-people.ts';
import { createCalls, type SeedTarget } from './calls.ts';
import { readSeed } from './read-seed.ts';
import type { SeedInput, SeedPerson } from './schema.ts';

/** What a seed leads to, whether it was there before or not. */
export interface SeedReport {
  people: Pick<SeedPerson, 'email' | 'state' | 'password' | 'totp'>[];
  organizations: { name: string; organization_id: string; departments: Record<string, string> }[];
}

/**
 * Adds what a seed names and is missing, by the operations of the API where there is one. What exists stays as it is,
 * except that an active person gets the state of the seed. Run it again to complete a seed that was interrupted.
 * @throws {SeedError}
 */
export async function applySeed(input: SeedInput, target: SeedTarget): Promise<SeedReport> {
  const { people, organizations } = await readSeed(input);
  const calls = createCalls(target);
  try {
    await createPeople(target, calls, people);
    const applied = [];
    for (const [index, organization] of organizations.entries())
      applied.push(await applyOrganization(target, calls, organization, `organizations[${index}]`));
    // Last: a person who cannot act can be an Owner or a member.
    await applyStates(target, calls, people);
    return {
      people: people.map(({ email, state, password, totp }) => ({
        email,
        state,
        ...(password !== undefined && { password }),
        ...(totp !== undefined && { totp }),
      })),
      organizations: applied,
    };
  } finally {
    await calls.close();
  }
}
