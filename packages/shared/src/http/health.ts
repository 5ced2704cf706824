import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { singleFlight } from '../single-flight.ts';
import { withTimeout } from '../with-timeout.ts';
import { publicRoutes } from './public-routes.ts';

/** Dependencies of a service. `check` rejects when one is down; without a `needed` one the service is unavailable. */
export type Checks = Record<string, { needed: boolean; check: () => Promise<unknown> }>;

interface HealthOptions {
  name: string;
  checks: Checks;
  /** Milliseconds after which a dependency that does not answer counts as down. */
  timeout: number;
}

const report = z.object({
  status: z.enum(['ok', 'degraded', 'unavailable']),
  service: z.string(),
  checks: z.record(z.string(), z.enum(['up', 'down'])),
});
const example = { status: 'ok', service: 'login', checks: { mongodb: 'up' } };

const healthSchema = {
  tags: ['health'],
  summary: 'State of the service and its dependencies',
  description: 'Checks every dependency; one that does not answer within two seconds is down.',
  response: {
    200: report.meta({ description: 'The service is available.', examples: [example] }),
    503: report.meta({
      description: 'A dependency that the service needs is down.',
      examples: [{ ...example, status: 'unavailable', checks: { mongodb: 'down' } }],
    }),
  },
};

const liveSchema = {
  tags: ['health'],
  summary: 'State of the process alone',
  description: 'Checks no dependency. Use it to restart a process that hangs.',
  response: {
    200: z
      .object({ status: z.literal('ok') })
      .meta({ description: 'The process is alive.', examples: [{ status: 'ok' }] }),
  },
};

/** /health, /health/live and /health/ready; none needs a bearer. */
export const health: FastifyPluginAsyncZod<HealthOptions> = async (app, { name, checks, timeout }) => {
  publicRoutes(app);
  // Calls are not metered, and a dependency that hangs would collect one command from each.
  const currentStates = singleFlight(() => checkAll(checks, timeout));

  for (const path of ['/health', '/health/ready']) {
    app.get(path, { schema: healthSchema }, async (_request, reply) => {
      const states = await currentStates();
      const status = statusOf(checks, states);
      return reply.code(status === 'unavailable' ? 503 : 200).send({ status, service: name, checks: states });
    });
  }
  app.get('/health/live', { schema: liveSchema }, async () => ({ status: 'ok' as const }));
};

type States = Record<string, 'up' | 'down'>;

async function checkAll(checks: Checks, timeout: number): Promise<States> {
  const states = Object.entries(checks).map(async ([dependency, { check }]) => {
    const checked = withTimeout(Promise.resolve().then(check), timeout, new Error('timed out'));
    const state = await checked.then(
      () => 'up' as const,
      () => 'down' as const,
    );
    return [dependency, state] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

function statusOf(checks: Checks, states: States): z.infer<typeof report>['status'] {
  const down = Object.keys(states).filter((dependency) => states[dependency] === 'down');
  if (down.some((dependency) => checks[dependency]?.needed)) return 'unavailable';
  return down.length > 0 ? 'degraded' : 'ok';
}
