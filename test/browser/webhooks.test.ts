import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';
import { type Receiver, startReceiver, status } from '../fixtures/receiver.ts';

const XSS = '<img src=x onerror="window.hacked=1">';
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages) => member(services.db, services.clock);

const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor();

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** Configures a webhook for `chatbot.created` over the API. @returns the path of its page. */
async function configure({ url }: Pages, { authorization }: Account, path = '/hooks') {
  const settings = { url: receiver.url + path, events: ['chatbot.created'], secret: SECRET };
  const { body } = await postJson(`${url}/api/v1/webhooks/configure`, settings, { authorization });
  return { id: body.webhook_id as string, path: `/webhooks?webhook=${body.webhook_id}` };
}

/** Creates a chatbot, which is an event. */
async function createChatbot({ url }: Pages, { authorization }: Account, name = 'Receptionist') {
  const chatbot = { name, type: 'text', avatar_id: 'avatar-7', language: 'en' };
  await postJson(`${url}/api/v1/chatbots/create`, chatbot, { authorization });
}

const answer = (code: number, body: string) => (response: import('node:http').ServerResponse) =>
  void response.writeHead(code, { 'content-type': 'text/html' }).end(body);

describePages(
  'webhooks',
  (pages) => {
    test('configures the first webhook with a generated secret, shown once', async () => {
      const ada = await newAccount(pages);
      const page = await pages.openAs(ada, '/webhooks');
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
      await expectAccessible(page, 'webhooks-none');
      await button(page, 'New webhook').click();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/first`);
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await dialog(page).getByText('Choose at least one event.').waitFor();
      await dialog(page).getByLabel('Chatbot created').check();
      await dialog(page).getByLabel('Payment failed').check();
      await expectAccessible(page, 'webhook-create');
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();

      await page.getByRole('heading', { name: 'Keep this secret' }).waitFor();
      const secret = await dialog(page).locator('code').textContent();
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      await expectAccessible(page, 'webhook-secret');
      await button(page, 'I have saved it').click();
      await page.getByRole('heading', { level: 1, name: `${receiver.url}/first` }).waitFor();
      await page.getByText('Nothing has been sent yet.').waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByText(secret as string).count()).toBe(0);
    });

    test('configures a webhook with an own secret, and says what is wrong beside the field', async () => {
      const ada = await newAccount(pages);
      const page = await pages.openAs(ada, '/webhooks');
      await button(page, 'New webhook').click();
      await dialog(page).getByLabel('URL').fill('https://user:pass@hooks.example.com');
      await dialog(page).getByLabel('Payment failed').check();
      await dialog(page).getByLabel('Secret', { exact: true }).selectOption('Use my own');
      await dialog(page).getByLabel('Your secret').fill(SECRET);
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await dialog(page).getByText('must not contain a user name or password').waitFor();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/own`);
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('heading', { level: 1, name: `${receiver.url}/own` }).waitFor();
      expect(await dialog(page).count()).toBe(0);
    });

    test('lists, finds and filters webhooks', async () => {
      const ada = await newAccount(pages);
      for (const path of ['/one', '/two', '/three']) await configure(pages, ada, path);
      const page = await pages.openAs(ada, '/webhooks');
      await page.getByRole('link', { name: `${receiver.url}/three` }).waitFor();
      await expectAccessible(page, 'webhooks');
      await page.getByLabel('Search by URL').fill('two');
      await page.waitForURL('**/webhooks?search=two');
      await page.getByRole('link', { name: `${receiver.url}/three` }).waitFor({ state: 'detached' });
      await page.getByLabel('Status').selectOption('Paused');
      await page.getByText('Nothing matches.').waitFor();
      await page.goBack();
      await page.getByRole('link', { name: `${receiver.url}/two` }).waitFor();
    });

    test('pauses, resumes, changes, rotates the secret and deletes', async () => {
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      const page = await pages.openAs(ada, path);
      const stored = () => pages.services.db.webhooks.findOne({ webhook_id: id });
      await button(page, 'Pause').click();
      await toast(page, 'The webhook is paused.');
      expect((await stored())?.status).toBe('paused');
      await button(page, 'Resume').click();
      await toast(page, 'The webhook is active.');

      await button(page, 'Change').click();
      await dialog(page).getByLabel('Payment succeeded').check();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/changed`);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: `${receiver.url}/changed` }).waitFor();
      expect((await stored())?.events).toEqual(['chatbot.created', 'payment.succeeded']);

      await button(page, 'Rotate secret').click();
      await expectAccessible(page, 'webhook-rotate');
      await button(page, 'Rotate secret').last().click();
      await page.getByRole('heading', { name: 'Keep this secret' }).waitFor();
      expect(await dialog(page).locator('code').textContent()).toMatch(/^whsec_/);
      await button(page, 'I have saved it').click();
      await page.getByText('Also signs until').waitFor();

      await button(page, 'Delete').click();
      await dialog(page).getByLabel('Name').fill(new URL(receiver.url).host);
      await dialog(page).getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
      expect(await stored()).toBeNull();
    });

    test('sends a test event and shows the answer as text', async () => {
      const ada = await newAccount(pages);
      const { path } = await configure(pages, ada, `/hooks?q=${encodeURIComponent(XSS)}`);
      receiver.answers = [answer(500, `<h1>Broken</h1>${XSS}`), status(204)];
      const page = await pages.openAs(ada, path);
      await button(page, 'Send test event').click();
      await toast(page, 'The test event was not delivered.');
      await page.locator('.attempt').getByText('HTTP 500').waitFor();
      await page.getByText(`<h1>Broken</h1>${XSS}`).waitFor();
      await expectAccessible(page, 'webhook-test');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('main img').count()).toBe(0);
      await button(page, 'Send test event').click();
      await toast(page, 'The receiver accepted the test event.');

      receiver.answers = [status(204)];
      await button(page, 'Send a sample').click();
      await dialog(page).getByLabel('Event').selectOption('Signed in');
      await expectAccessible(page, 'webhook-sample');
      await dialog(page).getByRole('button', { name: 'Send a sample' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await page.locator('.outcome').getByText('HTTP 204').waitFor();
      expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ event: 'session.created' });
    });

    test('shows deliveries with payload, attempts and answers, and replays', async () => {
      receiver.answers = [answer(200, `{"note":"${XSS}"}`)];
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      const name = `Receptionist ${XSS}`;
      await createChatbot(pages, ada, name);
      const settled = (attempts: number) =>
        eventually(async () => {
          const delivery = await pages.services.db.webhookDeliveries.findOne({ webhook_id: id });
          return delivery?.status === 'delivered' && delivery.attempt_count === attempts;
        });
      await settled(1);
      const page = await pages.openAs(ada, path);
      const deliveries = page.getByRole('list', { name: 'Deliveries' });
      await page.getByText('100% (1 delivered, 0 failed)').waitFor();
      await deliveries.getByText('1 attempt').click();
      await deliveries.getByLabel('Answer of the receiver').getByText(XSS).waitFor();
      const payload = deliveries.getByLabel('Payload');
      await payload.waitFor();
      const sent = JSON.parse(receiver.received.at(-1)?.body ?? '');
      expect(sent.data.name).toBe(name);
      expect(await payload.textContent()).toBe(JSON.stringify(sent, null, 2));
      expect(await page.locator('main img').count()).toBe(0);
      await expectAccessible(page, 'deliveries');
      await page.getByRole('button', { name: /^Replay: / }).click();
      await toast(page, 'The delivery is sent again.');
      await settled(2);
      await button(page, 'Refresh').click();
      await deliveries.getByText('2 attempts').waitFor();
      const health = page.getByText('100% (2 delivered, 0 failed)');
      // The worker saves the counts within some seconds.
      await expect
        .poll(async () => {
          await button(page, 'Refresh').click();
          return health.isVisible();
        })
        .toBe(true);

      await page.getByLabel('Status').selectOption('Failed');
      await page.getByText('Nothing matches.').waitFor();
      await page.reload();
      await page.getByText('Nothing matches.').waitFor();
      await button(page, 'Show all').click();
      // A replay leaves out what is delivered at its own time.
      pages.services.clock.advance(1);
      await button(page, 'Replay several').click();
      await dialog(page).getByLabel('Deliveries').selectOption('Failed and delivered');
      await expectAccessible(page, 'deliveries-replay');
      await dialog(page).getByRole('button', { name: 'Replay' }).click();
      await toast(page, '1 delivery is sent again.');
      await settled(3);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    test('shows the request headers, and cancels what waits', async () => {
      receiver.answers = [status(503)];
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      await createChatbot(pages, ada);
      const delivery = () => pages.services.db.webhookDeliveries.findOne({ webhook_id: id });
      await eventually(async () => (await delivery())?.attempt_count === 1);
      const page = await pages.openAs(ada, path);
      const deliveries = page.getByRole('list', { name: 'Deliveries' });
      await deliveries.getByText('1 attempt').click();
      await deliveries.getByText('Request headers').click();
      await deliveries
        .getByLabel('Request headers')
        .getByText(/x-service-signature: sha256=/)
        .waitFor();
      await expectAccessible(page, 'delivery-pending');
      await page.getByLabel('Answer', { exact: true }).selectOption('HTTP 503');
      await page.waitForURL('**http_status=503**');
      await page.getByLabel('Event', { exact: true }).selectOption('Chatbot created');
      await page.getByLabel('Created', { exact: true }).selectOption('In the last day');
      await deliveries.getByText('1 attempt').waitFor();
      await page.getByLabel('Answer', { exact: true }).selectOption('No answer');
      await page.getByText('Nothing matches.').waitFor();
      await button(page, 'Show all').click();
      await deliveries.getByText('1 attempt').click();
      await page.getByRole('button', { name: /^Cancel: / }).click();
      await toast(page, 'The delivery is canceled.');
      expect((await delivery())?.status).toBe('cancelled');

      await page.getByRole('button', { name: /^Replay: / }).click();
      await toast(page, 'The delivery is sent again.');
      receiver.answers = [status(503)];
      await eventually(async () => (await delivery())?.attempt_count === 2);
      await button(page, 'Cancel pending').click();
      await dialog(page).getByLabel('Event').selectOption('Chatbot created');
      await expectAccessible(page, 'deliveries-cancel');
      await dialog(page).getByRole('button', { name: 'Stop deliveries' }).click();
      await toast(page, '1 delivery is canceled.');
    });

    test('says that the receiver has turned the webhook off, and resumes it', async () => {
      receiver.answers = [status(410), status(200)];
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      await createChatbot(pages, ada);
      await eventually(
        async () => (await pages.services.db.webhooks.findOne({ webhook_id: id }))?.status === 'disabled',
      );
      const page = await pages.openAs(ada, path);
      await page.getByText('The receiver answered 410 Gone').waitFor();
      await expectAccessible(page, 'webhook-disabled');
      await button(page, 'Resume').click();
      await toast(page, 'The webhook is active.');
      await page.getByText('The receiver answered 410 Gone').waitFor({ state: 'detached' });
      expect((await pages.services.db.webhooks.findOne({ webhook_id: id }))?.status).toBe('active');
    });

    test('says that a webhook was deleted in another tab', async () => {
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      const page = await pages.openAs(ada, path);
      await button(page, 'Pause').waitFor();
      await pages.services.db.webhooks.deleteOne({ webhook_id: id });
      await button(page, 'Pause').click();
      await page.getByText('This webhook no longer exists.').first().waitFor();
      await page.getByRole('link', { name: 'Webhooks' }).last().click();
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    });

    test('says that there are too many webhooks', async () => {
      const ada = await member(pages.services.db, pages.services.clock, { subscription_plan: 'Free' });
      for (let count = 0; count < 20; count++) await configure(pages, ada, `/${count}`);
      const page = await pages.openAs(ada, '/webhooks');
      await button(page, 'New webhook').click();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/more`);
      await dialog(page).getByLabel('Chatbot created').check();
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await dialog(page).getByText('The plan Free allows 20 webhooks here.').waitFor();
    });

    test('speaks German', async () => {
      const ada = await newAccount(pages);
      const { id, path } = await configure(pages, ada);
      receiver.answers = [status(200)];
      await createChatbot(pages, ada);
      await eventually(
        async () =>
          (await pages.services.db.webhookDeliveries.findOne({ webhook_id: id }))?.status === 'delivered',
      );
      const page = await pages.openAs(ada, path, { locale: 'de-DE' });
      await button(page, 'Testereignis senden').click();
      await toast(page, 'Der Empfänger hat das Testereignis angenommen.');
      await page.getByRole('list', { name: 'Zustellungen' }).getByText('1 Versuch').click();
      await page.getByLabel('Nutzdaten').waitFor();
      await expectAccessible(page, 'webhook-de');
    });
  },
  { env: { WEBHOOK_ALLOW_PRIVATE: 'on' } },
);
