import { createSecrets } from '@gatehouse/shared/data/secrets';
import { resealWebhookSecrets } from '@gatehouse/webhooks/reseal-secrets';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { startReceiver } from '../../fixtures/receiver.ts';
import { conversation } from '../event-samples.ts';
import { SECRET, startWebhookService } from '../webhook-service.ts';

const JWT_SECRET = 'j'.repeat(32);
const [ONE, TWO] = ['1'.repeat(32), '2'.repeat(32)];

describe('a sealed secret', () => {
  const secrets = createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: ONE });
  const sealed = secrets.seal('Schlüssel 🔑', 'webhook');

  test('opens to the original text', () => {
    expect(secrets.open(sealed, 'webhook')).toBe('Schlüssel 🔑');
    expect(createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: ONE }).open(sealed, 'webhook')).toBe(
      'Schlüssel 🔑',
    );
  });

  test.each([
    [
      'the key is another',
      () => createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: TWO }).open(sealed, 'webhook'),
    ],
    ['the webhook is another', () => secrets.open(sealed, 'other')],
    [
      'it was changed',
      () =>
        secrets.open(
          sealed.replace(/\.(.)/, (_, c) => `.${c === 'A' ? 'B' : 'A'}`),
          'webhook',
        ),
    ],
    ['its tag is truncated', () => secrets.open(sealed.slice(0, -4), 'webhook')],
    ['it is malformed', () => secrets.open('x', 'webhook')],
  ])('does not open if %s', (_what, open) => {
    expect(open).toThrow();
  });

  test.each([
    ['the previous key', { JWT_SECRET, WEBHOOK_SECRET_KEY: TWO, WEBHOOK_SECRET_KEY_PREVIOUS: ONE }, ONE],
    ['JWT_SECRET, if no key was set before', { JWT_SECRET, WEBHOOK_SECRET_KEY: TWO }, undefined],
    [
      'the previous JWT_SECRET, if no key was set before',
      { JWT_SECRET: TWO, JWT_SECRET_PREVIOUS: JWT_SECRET },
      undefined,
    ],
  ])('opens with %s', (_what, config, key) => {
    const before = createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: key }).seal('secret', 'webhook');
    const after = createSecrets(config);
    expect(after.open(before, 'webhook')).toBe('secret');
    expect(after.isCurrent(before)).toBe(false);
    expect(after.isCurrent(after.seal('secret', 'webhook'))).toBe(true);
  });
});

test('a start encrypts secrets of the previous key again; a secret that no key decrypts is kept and does not sign', async () => {
  const service = await startWebhookService({ env: { WEBHOOK_SECRET_KEY: ONE } });
  const receiver = await startReceiver();
  try {
    const ada = await service.person();
    const webhook_id = await ada.configure({ url: receiver.url });
    await ada.call('POST', `/${webhook_id}/rotate-secret`, { secret: 'the second secret' });
    const next = createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: TWO, WEBHOOK_SECRET_KEY_PREVIOUS: ONE });
    await Promise.all([resealWebhookSecrets(service.db, next), resealWebhookSecrets(service.db, next)]);
    const stored = await service.stored(webhook_id);
    const alone = createSecrets({ JWT_SECRET: 'x', WEBHOOK_SECRET_KEY: TWO });
    expect(alone.open(String(stored?.secret), webhook_id)).toBe('the second secret');
    expect(alone.open(String(stored?.previous_secrets[0]?.secret), webhook_id)).toBe(SECRET);

    // The running service does not have the next key.
    await service.publish(conversation(ada.user_id));
    for (const call of ['test', 'rotate-secret']) {
      const answer = await ada.call('POST', `/${webhook_id}/${call}`, { secret: 'the third secret' });
      expect(outcome(answer)).toStrictEqual(
        service.failure(
          answer,
          503,
          'SERVICE_UNAVAILABLE',
          'Service unavailable',
          'A stored secret cannot be decrypted',
        ),
      );
    }
    // The delivery stays pending, and no failure of the receiver is recorded.
    const [delivery] = await service.db.webhookDeliveries.find({ webhook_id }).toArray();
    expect(delivery).toMatchObject({ status: 'pending', attempts: [], failures: 0 });
    expect(receiver.received).toEqual([]);
    await resealWebhookSecrets(service.db, createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: ONE }));
    expect(await service.stored(webhook_id)).toMatchObject({ secret: stored?.secret });
  } finally {
    await service.stop();
    await receiver.stop();
  }
});
