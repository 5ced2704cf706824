import { type Mailbox, startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { testConfig } from '../../fixtures/services.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox({ port: 0 });
});
afterAll(() => mailbox.close());

const INVITATION = {
  organization: 'Engines',
  department: 'Research',
  url: 'https://accounts.example.com/invitation#email=ada%40example.com',
  hasAccount: false,
};

/** Mails a code and an invitation. @returns both, in this order. */
async function mailed(env: NodeJS.ProcessEnv = {}, invitation: Partial<typeof INVITATION> = {}) {
  const mailer = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, ...env }));
  await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60);
  await mailer.sendInvitation({ email: 'ada@example.com' }, { ...INVITATION, ...invitation });
  mailer.close();
  const [invited, code] = mailbox.mails.splice(0).map(({ content }) => content);
  if (!code || !invited) throw new Error('two mails were expected');
  return { code, invited };
}

describe('a mail', () => {
  test('shows the code once, in an element of its own', async () => {
    const { code } = await mailed();
    expect(code.subject).toBe('Your OTP Code');
    expect(code.text).toBe(
      'Your code is 012345\n\nIt is valid for 60 seconds. If you did not ask for it, ignore this mail.\n\n-- \nGatehouse\n',
    );
    expect(code.html?.match(/\b\d{6}\b/g)).toEqual(['012345']);
    expect(code.html).toMatch(/<p class="code"[^>]*>012345<\/p>/);
    expect(code.html).toContain('If you did not ask for it, ignore this mail.');
  });

  test('follows the brand', async () => {
    const { code, invited } = await mailed({
      BRAND_NAME: 'Ada & Co',
      BRAND_COLOR: '#ffcc00',
      BRAND_LOGO_URL: 'https://cdn.example.com/logo.svg',
    });
    for (const { html, text, subject } of [code, invited]) {
      expect(text).toMatch(/\n-- \nAda & Co\n$/);
      expect(html).toContain('Ada &amp; Co</td>');
      expect(html).toContain('<img src="https://cdn.example.com/logo.svg" alt=""');
      expect(html).toContain('4px solid #ffcc00');
      expect(subject).not.toContain('Ada');
    }
    // Dark text on a light color.
    expect(invited.html).toMatch(/background: #ffcc00;[^"]*color: #1a1d24;/);
  });

  test.each([
    ['/logo.svg', 'https://accounts.example.com', 'https://accounts.example.com/logo.svg'],
    ['/logo.svg', 'http://localhost:8000', undefined],
    [undefined, 'https://accounts.example.com', undefined],
  ])('shows the logo %s at %s as %s', async (BRAND_LOGO_URL, PUBLIC_URL, shown) => {
    const { code } = await mailed({ BRAND_LOGO_URL, PUBLIC_URL });
    expect(/<img src="([^"]*)"/.exec(code.html ?? '')?.[1]).toBe(shown);
  });

  test('loads nothing and runs nothing', async () => {
    for (const { html } of Object.values(await mailed())) {
      expect(html).not.toMatch(/<(?:script|link|iframe|object|form|img)|\son\w+=|url\(|@import|javascript:/i);
    }
  });

  test('links to the page of an invitation', async () => {
    const { invited } = await mailed();
    expect(invited.html).toMatch(
      /<a href="https:\/\/accounts\.example\.com\/invitation#email=ada%40example\.com" [^>]*>accounts\.example\.com<\/a>/,
    );
    expect(invited.text).toContain(`Sign up with this address at ${INVITATION.url}\n`);
  });
});

describe.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><a href="javascript:alert(1)">x</a>',
  "' onmouseover='alert(1)",
  '</td></table><style>*{display:none}</style>',
  '&lt;b&gt; &#60;b&#62;',
  'a\r\nBcc: eve@example.com\r\n\r\n<b>',
])('the name %j', (name) => {
  test('appears escaped in the HTML and in no header', async () => {
    const plain = await mailed();
    const { invited } = await mailed({}, { organization: name, department: name });
    const tags = (html = '') => html.match(/<[^>]*>/g);
    expect(tags(invited.html)).toEqual(tags(plain.invited.html));
    expect(invited.text?.split('\r\n').join('\n')).toContain(name.split('\r\n').join('\n'));
    const headers = invited.headerLines.map(({ line }) => line).join('\n');
    expect(headers).not.toMatch(/script|onerror|javascript|onmouseover|style|&lt|eve@/);
    expect(invited.headers.map(({ key }) => key).sort()).toEqual(
      plain.invited.headers.map(({ key }) => key).sort(),
    );
  });
});
