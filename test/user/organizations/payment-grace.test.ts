import type { Recipient } from '@gatehouse/shared/identity/users';
import { beforeEach, expect, test } from 'vitest';
import { hasSsoPlan } from '../../../services/user/access/sso-plan.ts';
import { sendPaymentNotices } from '../../../services/user/organizations/departments/payment-notices.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { sendJson } from '../../fixtures/http.ts';
import type { Team } from './organization-service.ts';
import { service, withOrganizations } from './with-organizations.ts';

const INTERNAL_API_KEY = 'a key that only the tests know, 32 bytes and more';
const DAY = 86_400;

let team: Team;
withOrganizations({ env: { INTERNAL_API_KEY } });
beforeEach(async () => {
  // The notices of earlier tests are not looked for.
  await service.db.departments.updateMany({}, { $unset: { payment_grace: true } });
  team = await service.newTeam();
  await team.ada.call('PATCH', `${team.place}/billing`, { subscription_plan: 'Enterprise' });
});

const report = (payment_status: string, { department_id } = team) =>
  sendJson(
    'PUT',
    `${service.url}/internal/departments/${department_id}/payment-status`,
    { payment_status, subscription_plan: 'Enterprise' },
    { authorization: `Bearer ${INTERNAL_API_KEY}` },
  );
const hasPlan = () => hasSsoPlan(service.db, team.organization_id, service.clock.now());
const department = () => service.db.departments.findOne({ department_id: team.department_id });
const mailsTo = (email: string) =>
  service.mailbox.mails.filter(
    ({ recipients, content }) => recipients.includes(email) && content.subject === 'A payment has failed',
  );
const silent = { warn: () => {} };
const mailer = {
  failing: new Set<string>(),
  sent: [] as string[],
  async sendPaymentFailed({ email }: Recipient) {
    if (this.failing.has(email)) throw new Error('the mail server is down');
    this.sent.push(email);
  },
};
/** What each of two processes does at its next look. */
const look = () => {
  const options = {
    db: service.db,
    now: service.clock.now,
    mailer: mailer as never,
    log: silent,
    isStopping: () => false,
  };
  return Promise.all([sendPaymentNotices(options), sendPaymentNotices(options)]);
};
/** The first notice is sent by the service itself. */
const failPayment = async () => {
  await report('paid');
  await report('failed');
  await eventually(async () => expect((await department())?.payment_grace?.notice?.day).not.toBe(1));
  mailer.sent.length = 0;
  mailer.failing.clear();
};

test('keeps single sign-on for 14 days after a failed payment', async () => {
  await failPayment();
  service.clock.advance(14 * DAY - 1);
  expect(await hasPlan()).toBe(true);
  service.clock.advance(1);
  expect(await hasPlan()).toBe(false);
});

test('does not prolong the grace when the payment fails again', async () => {
  await failPayment();
  service.clock.advance(10 * DAY);
  await report('failed');
  await report('pending');
  await report('failed');
  expect(await hasPlan()).toBe(true);
  service.clock.advance(4 * DAY);
  expect(await hasPlan()).toBe(false);
});

test('begins no grace for a plan that was never paid', async () => {
  await report('failed');
  expect(await hasPlan()).toBe(false);
  expect(await department()).not.toHaveProperty('payment_grace');
});

test('ends the grace with a payment that succeeds, and begins another when a later one fails', async () => {
  await failPayment();
  service.clock.advance(6 * DAY);
  await report('paid');
  expect(await department()).not.toHaveProperty('payment_grace');
  await look();
  expect(mailer.sent).toEqual([]);
  service.clock.advance(20 * DAY);
  await failPayment();
  expect(await hasPlan()).toBe(true);
});

test('ends the grace with another plan', async () => {
  await failPayment();
  for (const subscription_plan of ['Business', 'Enterprise'])
    await team.ada.call('PATCH', `${team.place}/billing`, { subscription_plan });
  expect(await hasPlan()).toBe(false);
});

test('mails each Owner who can act on days 1, 7 and 13, once', async () => {
  const grace = await service.newPerson();
  const paused = await service.newPerson({ account_status: 'paused' });
  for (const { user_id } of [grace, paused])
    await service.db.organizations.updateOne(
      { organization_id: team.organization_id },
      { $push: { owners: { user_id, granted_by: team.ada.user_id, granted_at: service.at() } } },
    );
  await failPayment();
  const endsAt = new Date(service.clock.now() + 14 * DAY * 1_000).toISOString().slice(0, 10);
  for (const { email } of [team.ada, grace]) {
    const mails = mailsTo(email);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.content.text).toContain(`Single sign-on stays available until ${endsAt}.`);
  }
  const sentOn: number[] = [];
  for (let day = 2; day <= 16; day += 1) {
    service.clock.advance(DAY);
    mailer.sent.length = 0;
    await look();
    if (mailer.sent.length > 0) sentOn.push(day);
    if (mailer.sent.length > 0)
      expect(mailer.sent.toSorted()).toEqual([team.ada.email, grace.email].toSorted());
  }
  expect(sentOn).toEqual([7, 13]);
  expect(await department()).not.toHaveProperty('payment_grace.notice');
  expect(mailsTo(paused.email)).toEqual([]);
});

test('goes on after a mail server that was down, and repeats no mail', async () => {
  const grace = await service.newPerson();
  await service.db.organizations.updateOne(
    { organization_id: team.organization_id },
    { $push: { owners: { user_id: grace.user_id, granted_by: team.ada.user_id, granted_at: service.at() } } },
  );
  await failPayment();
  service.clock.advance(6 * DAY);
  mailer.failing.add(team.ada.email);
  await look();
  expect(mailer.sent).toEqual([grace.email]);
  mailer.failing.clear();
  await look();
  expect(mailer.sent).toEqual([grace.email]);
  service.clock.advance(61);
  await look();
  expect(mailer.sent).toEqual([grace.email, team.ada.email]);
});

test('continues what a killed process left, without the mails that it sent', async () => {
  await failPayment();
  service.clock.advance(6 * DAY);
  const due = new Date(service.clock.now() + 60_000);
  const notice = { day: 7, due, recipients: [team.ada.user_id] };
  await service.db.departments.updateOne(
    { department_id: team.department_id },
    { $set: { 'payment_grace.notice': notice } },
  );
  await look();
  expect(mailer.sent).toEqual([]);
  service.clock.advance(60);
  await look();
  await look();
  expect(mailer.sent).toEqual([team.ada.email]);
});

test('sends only the latest notice after a long stop', async () => {
  await failPayment();
  service.clock.advance(12 * DAY);
  await look();
  await look();
  expect(mailer.sent).toEqual([team.ada.email]);
});

test('mails nobody while another plan keeps single sign-on', async () => {
  await service.db.users.updateOne(
    { user_id: team.ada.user_id },
    { $set: { subscription_plan: 'Enterprise' } },
  );
  await failPayment();
  expect(mailsTo(team.ada.email)).toEqual([]);
});

test('does not show the grace in the billing record', async () => {
  await failPayment();
  const { body } = await team.ada.call('GET', `${team.place}/billing`);
  expect(Object.keys(body).toSorted()).toEqual([
    'department_id',
    'payment_status',
    'subscription_date',
    'subscription_plan',
    'updated_at',
  ]);
});
