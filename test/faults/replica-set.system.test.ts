import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answered } from '../fixtures/http.ts';
import { standaloneDatabase } from '../fixtures/mongodb.ts';
import { type Fault, READ_FAULTS, WRITE_FAULTS } from '../fixtures/replica-set.ts';
import { account, sessions } from './operations/account.ts';
import { chatbots, organizations } from './operations/organizations.ts';
import { admin, scim, singleSignOn, webhooks } from './operations/products.ts';
import type { Scenario } from './scenario.ts';
import { startWorld, type World } from './world.ts';

/**
 * Every operation that writes, with each fault of a failover at each of its commands. The client gets the usual answer
 * or a clear 503; when it repeats the call, the database holds what one undisturbed call leaves.
 */
const SCENARIOS = {
  ...account,
  ...sessions,
  ...organizations,
  ...chatbots,
  ...webhooks,
  ...singleSignOn,
  ...scim,
  ...admin,
};

/** The driver repeats a command once by itself: the client sees the fault when both fail. */
const BOTH = 2;
/** A client gives up after so many calls. */
const MAX_CALLS = 4;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** One fault for each command, not always the same; `.ci/failovers` makes all. */
const someOf = (faults: readonly Fault[], index: number): Fault[] =>
  faults.filter((_, i) => process.env.FAILOVER_FAULTS === 'all' || i === index % faults.length);

const isWrite = (command: string) => /^(insert|update|delete|findAndModify) /.test(command);

describe.runIf(standaloneDatabase)('in a failover', () => {
  test.each(Object.entries(SCENARIOS))('%s', async (_, scenario) => {
    const { commands, answer, contents } = await undisturbed(scenario);
    const faults = commands.flatMap(({ command, position }, index) =>
      someOf(isWrite(command) ? WRITE_FAULTS : READ_FAULTS, index).map((fault) => ({
        command,
        position,
        fault,
      })),
    );
    for (const fault of faults) {
      const what = `the database ${fault.fault} at ${fault.command} (${fault.position})`;
      const result = await disturbed(scenario, fault);
      expect([answer.status, ...(result.calls > 1 ? (scenario.again ?? []) : [])], what).toContain(
        result.answer.status,
      );
      expect(difference(await world.contents(), contents), what).toEqual({});
    }
  });
});

/** Returns, by collection, what one has and the other lacks. */
function difference(found: Record<string, string[]>, expected: Record<string, string[]>) {
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  const lacks = (some: string[] = [], others: string[] = []) => others.filter((each) => !some.includes(each));
  return Object.fromEntries(
    names
      .map((name) => {
        const [missing, extra] = [lacks(found[name], expected[name]), lacks(expected[name], found[name])];
        return [name, { missing, extra }] as const;
      })
      .filter(([, { missing, extra }]) => missing.length + extra.length > 0),
  );
}

/** Makes a call without a fault. @returns the commands that it sends and what it leaves. */
async function undisturbed(scenario: Scenario) {
  await world.wipe();
  const call = await scenario.prepare(world);
  world.replicaSet.takeCommands();
  const answer = await call();
  const sent = world.replicaSet.takeCommands();
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  await world.settle();
  const commands = sent.map((command, index) => ({
    command,
    position: sent.slice(0, index).filter((each) => each === command).length,
  }));
  return { answer, commands, contents: await world.contents() };
}

/** Makes a call as a client does: it repeats one that answers 503. */
async function disturbed(
  scenario: Scenario,
  fault: { command: string; position: number; fault: Fault },
): Promise<{ answer: Answered; calls: number }> {
  await world.wipe();
  const call = await scenario.prepare(world);
  world.replicaSet.plan({ ...fault, times: BOTH });
  let answer = await call();
  let calls = 1;
  for (; answer.status === 503 && calls < MAX_CALLS; calls += 1) {
    expect(JSON.stringify(answer.body)).toContain('ervice unavailable');
    answer = await call();
  }
  world.replicaSet.heal();
  await world.settle();
  return { answer, calls };
}
