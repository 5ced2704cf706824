import type { User } from '@gatehouse/shared/identity/user-record';
import type { MatchKeysAndValues } from 'mongodb';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { enrolled } from '../../fixtures/enrolled.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { decodeToken, postJson, send } from '../../fixtures/http.ts';
import { noSlapd, SERVICE, type Slapd, SUFFIX, slapdSkipped, startSlapd } from '../../fixtures/slapd.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';

const PEOPLE = `ou=people,${SUFFIX}`;
const person = (uid: string) => `
dn: uid=${uid},${PEOPLE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Lovelace
mail: ${uid}@corp.example
userPassword: ${uid}-password
`;

describe.skipIf(noSlapd)(`a login at OpenLDAP of an account with a second factor${slapdSkipped}`, () => {
  const UIDS = ['ada', 'grace', 'linus', 'barbara', 'alan', 'edsger', 'donald', 'niklaus'];
  let slapd: Slapd;
  let service: SsoService;
  let slug: string;
  let connection_id: string;
  beforeAll(async () => {
    slapd = await startSlapd(UIDS.map(person).join('\n'));
    service = await startSsoService();
    const corp = await service.newOrganization();
    const attributes = {
      email: 'mail',
      firstName: 'cn',
      lastName: 'sn',
      role: 'employeeType',
      department: 'departmentNumber',
    };
    const connection = await service.newConnection(corp, { protocol: 'ldap', attributes });
    ({ slug, connection_id } = connection);
    const ldap = {
      url: slapd.url,
      start_tls: false,
      ca: null,
      bind_dn: SERVICE.dn,
      bind_password: service.secrets.seal(SERVICE.password, connection_id),
      base_dn: PEOPLE,
      user_filter: '(uid={username})',
      user_dn: null,
    };
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { ldap } });
  });
  afterAll(async () => {
    await service?.stop();
    await slapd?.stop();
  });

  const logIn = (username: string, url = service.url) =>
    postJson(`${url}/api/v1/auth/ldap`, { connection: slug, username, password: `${username}-password` });
  const withCode = (factor_token: string, code: string, url = service.url) =>
    postJson(`${url}/api/v1/auth/ldap/factor`, { factor_token, code });
  const sessions = (user_id: string) => service.db.ssoSessions.countDocuments({ user_id });
  /** Links a person by a first login, and enrolls their account. */
  async function linked(username: string) {
    const { user_id } = (await logIn(username)).body;
    const { second_factor, ...factor } = await enrolled(service.db, service.clock);
    if (second_factor) await service.db.users.updateOne({ user_id }, { $set: { second_factor } });
    return { user_id: user_id as string, code: factor.code, before: await sessions(user_id) };
  }
  const halfOf = async (username: string): Promise<string> =>
    (await logIn(username)).body.error.details.factor_token;
  const expired = { status: 401, code: 'INVALID_TOKEN' };
  const refusal = ({ status, body }: Awaited<ReturnType<typeof withCode>>) => ({
    status,
    code: body.error?.code,
  });

  test('asks for a code after the password, and then begins a session of the connection', async () => {
    const { user_id, code, before } = await linked('ada');
    const half = await logIn('ada');
    expect(refusal(half)).toEqual({ status: 403, code: 'SECOND_FACTOR_REQUIRED' });
    expect(half.body.error.details.methods).toEqual(['totp', 'recovery_code']);
    expect(half.headers.get('cache-control')).toBe('no-store');
    expect(await sessions(user_id)).toBe(before);
    const wrong = await withCode(half.body.error.details.factor_token, 'wrong');
    expect(refusal(wrong)).toEqual({ status: 401, code: 'INVALID_CREDENTIALS' });
    const answer = await withCode(half.body.error.details.factor_token, code());
    expect(outcome(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3_600, user_id },
    });
    const { sid, sso, mfa } = decodeToken(answer.body.access_token).header;
    expect({ sso, mfa }).toEqual({ sso: true, mfa: true });
    expect(await service.db.ssoSessions.findOne({ sid })).toMatchObject({
      connection_id,
      user_id,
      username: 'ada',
    });
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    expect((await send(`${service.url}/api/v1/users/me`, { headers })).status).toBe(200);
    const events = await service.db.auditEvents
      .find({ user_id, action: 'sso.login' })
      .sort({ event_id: 1 })
      .toArray();
    expect(events.map(({ outcome, target }) => [outcome, target])).toEqual(
      ['success', 'second factor required', 'Invalid code', 'success'].map((each) => [
        each,
        { connection_id },
      ]),
    );
    // The code is used.
    expect((await withCode(half.body.error.details.factor_token, code())).status).toBe(401);
  });

  test('its token is no bearer, and opens neither door of a password', async () => {
    const { code } = await linked('grace');
    const half = await halfOf('grace');
    const headers = { authorization: `Bearer ${half}` };
    expect((await send(`${service.url}/api/v1/users/me`, { headers })).status).toBe(401);
    const atLogin = await postJson(`${service.login}/api/v1/auth/login/factor`, {
      factor_token: half,
      code: code(),
    });
    expect(refusal(atLogin)).toEqual(expired);
    expect((await withCode(half, code())).status).toBe(200);
  });

  test('the token of a login with the password is not accepted', async () => {
    const user = await enrolled(service.db, service.clock);
    const { body } = await postJson(`${service.login}/api/v1/auth/login`, {
      email: user.email,
      password: 'secret',
    });
    expect(refusal(await withCode(body.error.details.factor_token, user.code()))).toEqual(expired);
  });

  test.each<[string, string, MatchKeysAndValues<User>]>([
    ['linus', 'the account is disabled', { account_status: 'disabled' }],
    ['barbara', 'its sessions ended', { sessions_valid_from: new Date(8.64e15) }],
    ['alan', 'it has another enrollment', { 'second_factor.id': 'another' }],
  ])('the login of %s is refused once %s', async (username, _, $set) => {
    const { user_id, code, before } = await linked(username);
    const half = await halfOf(username);
    await service.db.users.updateOne({ user_id }, { $set });
    expect(refusal(await withCode(half, code()))).toEqual(expired);
    expect(await sessions(user_id)).toBe(before);
  });

  test('restores an account whose deletion is pending, but not if it is refused after all', async () => {
    const { user_id, code } = await linked('niklaus');
    const half = await halfOf('niklaus');
    const at = new Date(service.clock.now());
    const deletion = { requested_at: at, due_at: at, next: at };
    await service.db.users.updateOne({ user_id }, { $set: { deletion } });
    const identity = await service.db.ssoIdentities.findOneAndDelete({ user_id });
    expect((await withCode(half, code())).status).toBe(400);
    expect((await service.db.users.findOne({ user_id }))?.deletion).toEqual(deletion);
    if (identity) await service.db.ssoIdentities.insertOne(identity);
    service.clock.advance(30);
    expect((await withCode(half, code())).status).toBe(200);
    expect(await service.db.users.findOne({ user_id })).not.toHaveProperty('deletion');
  });

  test('is refused once the connection is disabled or the person unlinked', async () => {
    const { user_id, code } = await linked('edsger');
    const half = await halfOf('edsger');
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    onTestFinished(async () => {
      await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: true } });
    });
    expect((await withCode(half, code())).status).toBe(403);
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: true } });
    await service.db.ssoIdentities.deleteOne({ user_id });
    expect((await withCode(half, code())).status).toBe(400);
  });

  test('passes the gateway', async () => {
    const { user_id, code } = await linked('donald');
    const gateway = await startGateway({
      clock: service.clock,
      env: { LOGIN_SERVICE_URL: service.login, USER_SERVICE_URL: service.url },
    });
    onTestFinished(() => gateway.stop());
    const { body } = await logIn('donald', gateway.url);
    const answer = await withCode(body.error.details.factor_token, code(), gateway.url);
    expect([answer.status, answer.body.user_id]).toEqual([200, user_id]);
  });
});
