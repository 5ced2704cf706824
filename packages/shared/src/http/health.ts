import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { z } from 'zod';
import { publicRoutes } from './public-routes.ts';

/** What a service depends on. `check` rejects when it is down; without a `needed` one the service is down too. */
export type Checks = Record<string, { needed: boolean; check: () => Promise<unknown> }>;

const CHECK_TIMEOUT = 2_000;

const state = z.enum(['up', 'down']);
const report = z.object({
  status: z.enum(['ok', 'degraded', 'unavailable']),
  service: z.string(),
  checks: z.record(z.string(), state),
});
const example = { status: 'ok', service: 'login', checks: { mongodb: 'up' } };

/** /health, /health/live, /health/ready and /metrics; none needs a token. */
export const health: FastifyPluginAsyncZod<{ name: string; checks: Checks; registry: Registry }> = async (
  app,
  { name, checks, registry },
) => {
  collectDefaultMetrics({ register: registry });
  publicRoutes(app);

  const ask = async () => {
    const states = await Promise.all(
      Object.entries(checks).map(async ([dependency, { check }]) => {
        const late = new Promise((_, reject) =>
          setTimeout(reject, CHECK_TIMEOUT, new Error('timeout')).unref(),
        );
        const up = await Promise.race([Promise.resolve().then(check), late]).then(
          () => true,
          () => false,
        );
        return [dependency, up ? 'up' : 'down'] as const;
      }),
    );
    const down = states.filter(([, is]) => is === 'down').map(([dependency]) => dependency);
    const status = down.some((dependency) => checks[dependency]?.needed)
      ? ('unavailable' as const)
      : down.length > 0
        ? ('degraded' as const)
        : ('ok' as const);
    return { status, service: name, checks: Object.fromEntries(states) };
  };

  const schema = (summary: string, description: string) => ({
    tags: ['health'],
    summary,
    description,
    response: {
      200: report.meta({ description: 'The service answers', examples: [example] }),
      503: report.meta({
        description: 'Something that the service needs is down',
        examples: [{ ...example, status: 'unavailable', checks: { mongodb: 'down' } }],
      }),
    },
  });

  for (const path of ['/health', '/health/ready']) {
    app.get(
      path,
      {
        schema: schema(
          'State of the service and of each dependency',
          'Asks every dependency, for two seconds at most.',
        ),
      },
      async (_request, reply) => {
        const answer = await ask();
        return reply.code(answer.status === 'unavailable' ? 503 : 200).send(answer);
      },
    );
  }
  app.get(
    '/health/live',
    {
      schema: {
        tags: ['health'],
        summary: 'State of the process alone',
        description: 'Asks nothing else; for restarting a process that hangs.',
        response: {
          200: z
            .object({ status: z.literal('ok') })
            .meta({ description: 'Alive', examples: [{ status: 'ok' }] }),
        },
      },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
};
