import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';
import { type Receiver, startReceiver, status } from '../fixtures/receiver.ts';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages) => member(services.db, services.clock);
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** An organization with a department and a chatbot in it. */
async function createDepartment({ url }: Pages, { authorization }: Account) {
  const post = async (path: string, body: object) =>
    (await postJson(`${url}/api/v1${path}`, body, { authorization })).body;
  const { organization_id } = await post('/organizations', { name: 'Analytical Engines' });
  const departments = `/organizations/${organization_id}/departments`;
  const { department_id } = await post(departments, { name: 'Support' });
  const { chatbot_id } = await post('/chatbots/create', {
    name: 'Receptionist',
    type: 'text',
    avatar_id: 'avatar-7',
    language: 'en',
    department_id,
  });
  return { organization_id, department_id, chatbot_id };
}

describePages(
  'the settings of a webhook',
  (pages) => {
    test('take name, chosen chatbots and own headers in a department', async () => {
      const ada = await newAccount(pages);
      const place = await createDepartment(pages, ada);
      const page = await pages.openAs(ada, '/webhooks');
      await button(page, 'New webhook').click();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/helpdesk`);
      await dialog(page).getByLabel('Name').fill('Helpdesk');
      await dialog(page).getByLabel('Belongs to').selectOption('Analytical Engines');
      await dialog(page).getByLabel('Department', { exact: true }).selectOption('Support');
      await dialog(page).getByText('Members and invitations').click();
      await dialog(page).getByLabel('Member added').check();
      await dialog(page).getByText('More settings').click();
      await dialog(page).getByLabel('Description').fill('Tells the helpdesk');
      await dialog(page).getByLabel('Receptionist').check();
      await button(page, 'Add a header').click();
      await dialog(page).getByLabel('Header').fill('Authorization');
      await dialog(page).getByLabel('Value').fill('Bearer 8d4e1f62');
      await expectAccessible(page, 'webhook-settings');
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await button(page, 'I have saved it').click();

      await page.getByRole('heading', { level: 1, name: 'Helpdesk' }).waitFor();
      await page.getByRole('link', { name: 'Analytical Engines / Support' }).waitFor();
      await expectAccessible(page, 'webhook-shared');
      const stored = () => pages.services.db.webhooks.findOne({ name: 'Helpdesk' });
      expect(await stored()).toMatchObject({
        organization_id: place.organization_id,
        department_id: place.department_id,
        description: 'Tells the helpdesk',
        events: ['organization.member.added'],
        chatbot_ids: [place.chatbot_id],
      });

      receiver.answers = [status(204)];
      await button(page, 'Send test event').click();
      await page.getByText('The receiver accepted the test event.').waitFor();
      expect(receiver.received.at(-1)?.headers.authorization).toBe('Bearer 8d4e1f62');
    });

    test('keep the headers whose values are not given again', async () => {
      const ada = await newAccount(pages);
      const settings = {
        url: `${receiver.url}/kept`,
        events: ['payment.failed'],
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
        headers: { 'X-Kept': 'one', 'X-Gone': 'two', 'X-Other': 'three' },
      };
      const { body } = await postJson(`${pages.url}/api/v1/webhooks/configure`, settings, {
        authorization: ada.authorization,
      });
      const page = await pages.openAs(ada, `/webhooks?webhook=${body.webhook_id}`);
      await button(page, 'Change').click();
      await dialog(page).getByText('More settings').click();
      await button(page, 'Remove: X-Gone').click();
      await dialog(page).getByLabel('Value').nth(1).fill('four');
      await expectAccessible(page, 'webhook-headers');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('The webhook is saved.').waitFor();
      await page.getByText('X-Kept, X-Other').waitFor();
      receiver.answers = [status(204)];
      await button(page, 'Send test event').click();
      await eventually(async () => receiver.received.at(-1)?.headers['x-other'] === 'four');
      const { headers } = receiver.received.at(-1) ?? {};
      expect([headers?.['x-kept'], headers?.['x-gone']]).toEqual(['one', undefined]);
    });

    test('that the service refuses are explained', async () => {
      const ada = await newAccount(pages);
      const page = await pages.openAs(ada, '/webhooks');
      await button(page, 'New webhook').click();
      await dialog(page).getByLabel('URL').fill(`${receiver.url}/refused`);
      await dialog(page).getByLabel('Payment failed').check();
      await dialog(page).getByText('More settings').click();
      await button(page, 'Add a header').click();
      await dialog(page).getByLabel('Header').fill('Host');
      await dialog(page).getByLabel('Value').fill('evil.example');
      await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
      await dialog(page).getByRole('alert').waitFor();
      expect(await pages.services.db.webhooks.countDocuments({ owner_id: ada.user_id })).toBe(0);
    });
  },
  { env: { WEBHOOK_ALLOW_PRIVATE: 'on' } },
);
