import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { countedHealth, readHealth } from './read-health.ts';

export const getHealth = operation('GET /api/v1/webhooks/{webhook_id}/health', {
  needs: 'administration',
  summary: 'Read the health of a webhook',
  description: `Tells how the attempts of the last day went, how many failed in a row, and how much waits, up to 100,000. When every attempt fails for three days, the webhook is disabled; \`failing_since\` is when the three days began. Attempts are counted within a few seconds; those of a process that is killed may miss its last seconds. Test events are not counted.`,
  returns: countedHealth,
  async handle({ db, host, now, request }) {
    return readHealth(db, await managedWebhook({ db, host }, request), now());
  },
});
