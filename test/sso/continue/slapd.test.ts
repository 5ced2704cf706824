import type { LdapSettings } from '@gatehouse/sso/connection-records';
import { Attribute, Change, Client } from 'ldapts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postJson } from '../../fixtures/http.ts';
import {
  ADMIN,
  noSlapd,
  SERVICE,
  type Slapd,
  SUFFIX,
  slapdSkipped,
  startSlapd,
} from '../../fixtures/slapd.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { callsWith } from './sessions.ts';

const PEOPLE = `ou=people,${SUFFIX}`;
const STAFF = ['ada', 'grace', 'linus', 'mary'];
const entryOf = (uid: string) => `
dn: uid=${uid},${PEOPLE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Lovelace
mail: ${uid}@corp.example
employeeType: staff
userPassword: ${uid}-password`;

describe.skipIf(noSlapd)(`a refresh asks OpenLDAP${slapdSkipped}`, () => {
  let slapd: Slapd;
  let admin: Client;
  let service: SsoService;
  let corp: Awaited<ReturnType<SsoService['newOrganization']>>;
  let calls: ReturnType<typeof callsWith>;

  beforeAll(async () => {
    slapd = await startSlapd(STAFF.map(entryOf).join('\n'));
    admin = new Client({ url: slapd.url });
    await admin.bind(ADMIN.dn, ADMIN.password);
    service = await startSsoService();
    calls = callsWith(service);
    corp = await service.newOrganization();
  });
  afterAll(async () => {
    await service?.stop();
    await admin?.unbind();
    await slapd?.stop();
  });

  /** Logs a person in through a connection of their own. */
  async function token(uid: string, settings: Partial<LdapSettings> = {}): Promise<string> {
    const { connection_id, slug } = await service.newConnection(corp, { protocol: 'ldap' });
    const ldap = {
      url: slapd.url,
      start_tls: false,
      ca: null,
      bind_dn: SERVICE.dn,
      bind_password: service.secrets.seal(SERVICE.password, connection_id),
      base_dn: PEOPLE,
      user_filter: '(&(uid={username})(employeeType=staff))',
      user_dn: null,
      ...settings,
    };
    await service.db.ssoConnections.updateOne(
      { connection_id },
      { $set: { ldap, 'attributes.email': 'mail' } },
    );
    const login = { connection: slug, username: uid, password: `${uid}-password` };
    const { status, body } = await postJson(`${service.url}/api/v1/auth/ldap`, login);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.access_token;
  }
  const replace = (uid: string, type: string, value: string) =>
    admin.modify(`uid=${uid},${PEOPLE}`, [
      new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) }),
    ]);
  const mails = () =>
    service.mailbox.mails.filter(({ content }) => /account was deprovisioned/.test(content.subject ?? ''));

  test.each<[string, string, () => Promise<unknown>, RegExp, number]>([
    [
      'whose account is locked',
      'ada',
      () => replace('ada', 'pwdAccountLockedTime', '000001010000Z'),
      /locked them: pwdAccountLockedTime/,
      0,
    ],
    [
      'who has left the filter',
      'grace',
      () => replace('grace', 'employeeType', 'former'),
      /filter no longer finds them/,
      0,
    ],
    ['whose entry is deleted', 'linus', () => admin.del(`uid=linus,${PEOPLE}`), /no longer has them/, 1],
  ])('and ends the session of a person %s', async (_who, uid, change, detail, told) => {
    const current = await token(uid);
    expect((await calls.refresh(current)).status).toBe(200);
    await change();
    const events = await eventsOf(service, async () => {
      expect((await calls.refresh(current)).status).toBe(401);
    });
    expect(events).toMatchObject([
      { action: 'sso.logout', after: { detail: expect.stringMatching(detail) } },
    ]);
    expect(await calls.status(current)).toBe(401);
    await eventually(() => expect(mails()).toHaveLength(told));
  });

  test('at the next URL when the first cannot be reached, without a grace', async () => {
    const current = await token('mary', { url: 'ldap://127.0.0.1:1', fallback_urls: [slapd.url] });
    const events = await eventsOf(service, async () => {
      for (let turn = 0; turn < 2; turn += 1) expect((await calls.refresh(current)).status).toBe(200);
    });
    expect(events.filter(({ after }) => after?.grace !== undefined)).toEqual([]);
  });
});
