import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ChatbotService, type Person, startChatbotService } from './chatbot-service.ts';

/** The service that `withChatbots` has started. */
export let service: ChatbotService;

/** The people of the test that runs, after `withPeople`. */
export let ada: Person;
export let bob: Person;
export let eve: Person;

/** Runs the service for the tests of a file. */
export function withChatbots(): void {
  beforeAll(async () => {
    service = await startChatbotService();
  });
  afterAll(() => service.stop());
}

/** Gives each test people of its own. */
export function withPeople(): void {
  beforeEach(async () => {
    [ada, bob, eve] = [await service.newPerson(), await service.newPerson(), await service.newPerson()];
  });
}
