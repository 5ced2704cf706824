import { randomUUID } from 'node:crypto';
import { buildMailboxPage } from '@gatehouse/standalone/mailbox/page';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMailer, type Mailer } from '../../services/user/mail/mailer.ts';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { listen, testConfig } from '../fixtures/services.ts';

/** Would change the title if any of it ran. */
const HOSTILE = `<img src=x onerror="top.document.title='hacked'"><script>top.document.title='hacked'</script>`;

describePages('the mailbox', (pages) => {
  let server: ReturnType<typeof buildMailboxPage>;
  let url: string;
  let mailer: Mailer;
  beforeAll(async () => {
    const { mailbox } = pages.services;
    server = buildMailboxPage(mailbox);
    url = await listen(server);
    mailer = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}` }));
  });
  beforeEach(() => {
    pages.services.mailbox.mails.length = 0;
  });
  afterAll(async () => {
    mailer.close();
    await server.close();
  });

  test('shows a mail as it arrives, the newest first, with a code to copy', async () => {
    const page = await pages.open(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByText('No mail yet.').waitFor();
    await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60);
    await page.getByText('012345', { exact: true }).waitFor();
    await mailer.sendOtp({ email: 'bob@example.com' }, '678901', 60);
    await page.getByText('678901', { exact: true }).waitFor();
    expect(await page.getByRole('listitem').locator('.to').allTextContents()).toEqual([
      'bob@example.com',
      'ada@example.com',
    ]);
    await page.getByRole('status').filter({ hasText: 'New mail for bob@example.com' }).waitFor();

    // With the keyboard alone: the first button is "Delete all".
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('678901');
  });

  test('keeps the HTML view of a mail while others arrive', async () => {
    await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60);
    const page = await pages.open(url);
    await page.getByRole('button', { name: 'HTML' }).click();
    await page.frameLocator('iframe').getByText('012345').waitFor();
    await mailer.sendOtp({ email: 'bob@example.com' }, '678901', 60);
    await page.getByText('bob@example.com').first().waitFor();
    await page.frameLocator('iframe').last().getByText('012345').waitFor();
    await page.getByRole('button', { name: 'Text' }).last().click();
    await page.getByText('Your code is 012345').waitFor();
  });

  test('runs nothing of a hostile mail', async () => {
    pages.services.mailbox.mails.unshift({
      id: randomUUID(),
      received: new Date(),
      size: 1,
      recipients: ['ada@example.com'],
      content: {
        headers: [],
        headerLines: [],
        attachments: [],
        subject: HOSTILE,
        text: `${HOSTILE} javascript:alert(1) http://localhost:1/?x`,
        html: `<p>from Eve</p>${HOSTILE}<form action="/"><button>Send</button></form><a href="javascript:top.document.title='hacked'">link</a>`,
      },
    });
    const page = await pages.open();
    // The frame refuses the script and says so in the console, which `open` would report.
    page.context().removeAllListeners('console');
    await page.goto(url);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await page.evaluate('[...document.links].map(({ href }) => href)')).toEqual([
      'http://localhost:1/?x',
    ]);
    await page.getByRole('button', { name: 'HTML' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('from Eve').waitFor();
    await frame.getByRole('link', { name: 'link' }).click();
    expect(await page.title()).toBe('Mailbox (1)');
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toMatch(/scripts|same-origin|forms|top/);
  });

  test('deletes all', async () => {
    await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60);
    const page = await pages.open(url);
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('No mail yet.').waitFor();
    expect(pages.services.mailbox.mails).toEqual([]);
  });

  test('is accessible', async () => {
    const page = await pages.open(url);
    await page.getByText('No mail yet.').waitFor();
    await expectAccessible(page, 'mailbox-empty');
    const invitation = { organization: 'Engines', department: 'Research', url: pages.url, hasAccount: false };
    await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60, 'repeatedSignup');
    await mailer.sendInvitation({ email: 'bob@example.com' }, invitation);
    await mailer.sendOtp({ email: 'grace@example.com' }, '678901', 60);
    await page.getByText('678901', { exact: true }).waitFor();
    await expectAccessible(page, 'mailbox');
    await page.getByRole('button', { name: 'HTML' }).first().click();
    await page.getByRole('button', { name: 'HTML' }).nth(1).click();
    await page.frameLocator('iframe').nth(1).getByRole('link').waitFor();
    await expectAccessible(page, 'mailbox-html');
  });
});
