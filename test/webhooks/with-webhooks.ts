import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Receiver, startReceiver } from '../fixtures/receiver.ts';
import { type Person, startWebhookService, type WebhookService } from './webhook-service.ts';

/** What `withWebhooks` has started. */
export let service: WebhookService;
export let receiver: Receiver;

/** The person of the test that runs, after `withAda`. */
export let ada: Person;

/** Runs the services and a receiver for the tests of a file. */
export function withWebhooks(...options: Parameters<typeof startWebhookService>): void {
  beforeAll(async () => {
    service = await startWebhookService(...options);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });
}

/** Gives each test a person of its own, and a receiver that has received nothing. */
export function withAda(): void {
  beforeEach(async () => {
    ada = await service.person();
    receiver.received.length = 0;
    receiver.answers = [];
  });
}
