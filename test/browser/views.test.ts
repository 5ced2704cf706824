import { expect, test } from 'vitest';
import { describePages } from '../fixtures/browser.ts';
import { grantRole } from '../fixtures/grant-role.ts';
import { sendJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

/** Calls to the API that one view may cost. */
const MAX_CALLS = 2;

/** Pixels by which the widest table, or the page, is wider than it may be. */
const OVERFLOW = `Math.max(document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll('.table')].map((table) => table.scrollWidth - table.clientWidth))`;
/** The fields for text whose content a browser may send to a spelling service. */
const SPELLCHECKED = `[...document.querySelectorAll('input, textarea')]
  .filter(({ type, spellcheck }) => spellcheck && !['checkbox', 'radio', 'hidden', 'search', 'password'].includes(type))
  .map(({ name }) => name)`;

describePages('the views of an account', (pages) => {
  /** Accounts with long names in an organization that has one of everything. */
  async function createPlaces() {
    const { url, services } = pages;
    const newAccount = (fields: object = {}) => member(services.db, services.clock, fields);
    const ada = await newAccount();
    const grace = await newAccount({
      name: 'Augusta Ada King, Countess of Lovelace',
      email: 'augusta.ada.king.lovelace@analytical-engines.example',
    });
    const mary = await newAccount();
    const call = async (method: string, path: string, body: object, { authorization } = ada) =>
      (await sendJson(method, `${url}/api/v1${path}`, body, { authorization })).body;
    const { organization_id } = await call('POST', '/organizations', { name: 'Analytical Engines' });
    const whole = `/organizations/${organization_id}`;
    const { department_id } = await call('POST', `${whole}/departments`, {
      name: 'Customer relations and support',
    });
    const place = `${whole}/departments/${department_id}`;
    await grantRole(`${url}/api/v1${place}`, ada, grace, 'Editor');
    await call('POST', `${place}/invitations`, {
      email: 'charles.babbage.the.elder@analytical-engines.example',
      role: 'Viewer',
    });
    await call('PUT', `${whole}/owners/${grace.user_id}`, {});
    const theirs = await call('POST', '/organizations', { name: 'Difference Engines' }, mary);
    await call('PUT', `/organizations/${theirs.organization_id}/owners/${ada.user_id}`, {}, mary);
    const fields = { type: 'text', avatar_id: '7', language: 'en' };
    const { chatbot_id } = await call('POST', '/chatbots/create', {
      ...fields,
      name: 'Receptionist of the analytical engines',
      department_id,
    });
    await call('PUT', `/chatbots/${chatbot_id}/access/${grace.user_id}`, { role: 'Viewer' });
    await call('POST', '/chatbots/create', { ...fields, name: 'Own' });
    const { webhook_id } = await call('POST', '/webhooks/configure', {
      url: 'https://app.example.com/a/rather/long/path/of/hooks',
      events: ['conversation.started', 'conversation.ended', 'invitation.withdrawn', 'password.reset'],
      secret: 'a secret of some length',
      department_id,
    });
    return {
      ada,
      grace,
      department: `${url}/api/v1${place}`,
      organization_id,
      department_id,
      chatbot_id,
      webhook_id,
    };
  }

  let created: ReturnType<typeof createPlaces> | undefined;
  const places = () => {
    created ??= createPlaces();
    return created;
  };

  test('cost at most two calls, with nothing read before, and fit a desktop and a phone', async () => {
    const { ada, grace, organization_id, department_id, chatbot_id, webhook_id } = await places();
    const organization = `/organization?organization=${organization_id}`;
    const department = `${organization}&department=${department_id}`;
    // Each view with a text that it shows when it is complete.
    const views = [
      ['/profile', 'Save changes'],
      ['/profile?part=security', 'Set up an app'],
      ['/profile?part=devices', 'This device'],
      ['/profile?part=data', 'Created a chatbot'],
      ['/chatbots', 'Analytical Engines / Customer relations and support'],
      [`/chatbots?chatbot=${chatbot_id}`, 'Analytical Engines / Customer relations and support'],
      ['/organization', 'Difference Engines'],
      [organization, 'Customer relations and support'],
      [`${organization}&part=owners`, 'Offers'],
      [`${organization}&part=people`, grace.user_id],
      [`${organization}&part=audit`, 'Created a chatbot'],
      [`${organization}&part=reports`, 'Reports'],
      [`${organization}&part=exports`, 'There are no exports.'],
      [`${organization}&part=settings`, 'Leave the organization'],
      [`${organization}&person=${grace.user_id}`, 'Customer relations and support'],
      [department, grace.user_id],
      [`${department}&part=invitations`, 'charles.babbage.the.elder@analytical-engines.example'],
      [`${department}&part=plan`, 'Free'],
      [`${department}&part=history`, 'Billing history'],
      [`${department}&part=analytics`, 'Members'],
      [`${department}&part=reports`, 'Reports'],
      [`${department}&part=exports`, 'There are no exports.'],
      [`${department}&part=settings`, 'Archive the department'],
      ['/webhooks', 'Analytical Engines / Customer relations and support'],
      [`/webhooks?webhook=${webhook_id}`, 'Analytical Engines / Customer relations and support'],
    ] as const;
    const page = await pages.openAs(ada, '/health/live');
    const calls: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) calls.push(pathname + search);
    });
    const tooMany: Record<string, string[]> = {};
    const tooWide: Record<string, number[]> = {};
    for (const [path, text] of views) {
      calls.length = 0;
      await page.goto(path);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await page.waitForLoadState('networkidle');
      if (calls.length > MAX_CALLS) tooMany[path] = [...calls];
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        if (Number(await page.evaluate(OVERFLOW)) > 0) tooWide[path] = [...(tooWide[path] ?? []), width];
      }
    }
    expect({ tooMany, tooWide }).toEqual({ tooMany: {}, tooWide: {} });

    await page.goto('/chatbots');
    await page.getByRole('row', { name: /^Own/ }).getByText('You', { exact: true }).waitFor();
  });

  test('show a role that changed elsewhere after a reload', async () => {
    const { ada, grace, department, organization_id, department_id } = await places();
    const page = await pages.openAs(
      grace,
      `/organization?organization=${organization_id}&department=${department_id}`,
    );
    await page.getByText('You: Editor').waitFor();
    await grantRole(department, ada, grace, 'Admin');
    await page.reload();
    await page.getByText('You: Admin').waitFor();
  });

  test('keep technical fields from the spelling service of a browser', async () => {
    const { ada, organization_id } = await places();
    const page = await pages.openAs(ada, '/chatbots');
    await page.getByRole('button', { name: 'New chatbot' }).click();
    await page.getByLabel('Avatar').waitFor();
    expect(await page.evaluate(SPELLCHECKED)).toEqual(['name']);

    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByText('More settings').click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    expect(await page.evaluate(SPELLCHECKED)).toEqual(['name', 'description']);

    await page.goto(`/organization?organization=${organization_id}&part=owners`);
    await page.getByRole('button', { name: 'Offer ownership' }).click();
    await page.getByLabel('User ID').waitFor();
    expect(await page.evaluate(SPELLCHECKED)).toEqual([]);
    const visitor = await pages.open('/sso');
    await visitor.locator('input').first().waitFor();
    expect(await visitor.evaluate(SPELLCHECKED)).toEqual([]);
  });
});
