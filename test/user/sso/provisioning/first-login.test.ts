import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../../services/user/sso/records.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { GRACE, provisioner } from './provisioner.ts';

let service: SsoService;
let turn = 0;
let connection: Connection;
let email: string;
let logIn: ReturnType<typeof provisioner>['logIn'];

beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  turn += 1;
  const organization = await service.newOrganization({ domain: `corp${turn}.example` });
  connection = await service.newConnection(organization, { protocol: 'ldap' });
  email = `grace@corp${turn}.example`;
  const { logIn: asGrace } = provisioner(service);
  logIn = (to, changes = {}) => asGrace(to, { email, ...changes });
});

const stored = (address = email) => service.db.users.findOne({ email: address });

describe('the first login of an unknown address', () => {
  it('creates an active account on the free plan with the role of the connection', async () => {
    const user = await logIn(connection, { role: undefined });
    const today = new Date(service.clock.now()).toISOString();
    expect(await stored()).toEqual({
      _id: user._id,
      user_id: expect.stringMatching(/^User-\d{6}$/),
      email,
      password: expect.stringMatching(/^\$argon2id\$/),
      name: 'Grace Hopper',
      role: 'Viewer',
      verified: true,
      account_status: 'active',
      payment_status: 'pending',
      'user_created_at(DATE)': today.slice(0, 10),
      created_at: today,
      subscription_id: 'free',
      subscription_plan: 'Free',
      subscription_date: today.slice(0, 10),
      features_assigned: true,
    });
    expect(await service.db.features.findOne({ user_id: user.user_id })).toMatchObject({
      subscription_plan: 'Free',
    });
    expect(await service.db.ssoIdentities.findOne({ user_id: user.user_id })).toMatchObject({
      connection_id: connection.connection_id,
      subject: GRACE.subject,
      email,
      last_login_at: new Date(service.clock.now()),
    });
  });
});
