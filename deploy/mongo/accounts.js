// Creates an account for each service, whose role allows what the service does and no more. Compose runs this at each
// `up`, so that roles follow an upgrade and passwords follow .env.

/** Each service builds the indexes of its collections when it starts. */
const BUILD = ['listIndexes', 'createIndex'];
const READ = [...BUILD, 'find'];
const APPEND = [...BUILD, 'insert'];
const WRITE = [...READ, 'insert', 'update', 'remove'];

/** What decides whether a domain requires single sign-on. */
const JOINED = ['organizations', 'departments', 'sso_connections'];
const GATEWAY = ['captcha_redemptions', 'idempotency_keys', 'idempotency_storage'];
const LOGIN = [
  ...['audit_events', 'audit_chain', 'audit_anchors', 'audit_leases', 'refusal_tallies'],
  ...['users', 'operators', 'features', 'sso_domains', 'machine_keys', 'service_accounts'],
  ...['passkeys', 'passkey_ceremonies', 'invitation_budgets'],
];
const USER = [
  ...LOGIN,
  ...[
    'login_names',
    'login_codes',
    'deleted_users',
    'pictures',
    'support_sessions',
    'approvals',
    'operator_claims',
    'retired_addresses',
  ],
  ...['job_runs', 'hour_figures', 'hour_tallies', 'exports', 'export_chunks'],
  ...['chatbots', 'departures', 'memberships', 'organizations', 'departments', 'billing_entries'],
  ...['organization_people', 'former_members'],
  ...['sso_connections', 'sso_identities', 'sso_flows', 'sso_sessions', 'sso_used_messages', 'scim_groups'],
  ...['social_flows', 'social_codes'],
  ...['webhooks', 'webhook_deliveries', 'events', 'event_log', 'relay_leases'],
];

const allow = (actions, collections) =>
  collections.map((collection) => ({ resource: { db: 'gatehouse', collection }, actions }));

const PRIVILEGES = {
  // It checks keys: whether a domain requires single sign-on depends on the organization, and a use is noted in the key.
  gateway: [
    ...allow(['find'], JOINED),
    ...allow(READ, ['users', 'operators', 'service_accounts', 'sso_domains']),
    ...allow([...READ, 'update'], ['machine_keys']),
    ...allow(APPEND, ['audit_events']),
    ...allow(WRITE, ['refusal_tallies', ...GATEWAY]),
  ],
  // Whether a domain requires single sign-on depends on the organization and its plan.
  login: [...allow(['find'], JOINED), ...allow(WRITE, LOGIN)],
  // `npx gatehouse doctor` compares the indexes of all.
  user: [...allow(['listIndexes'], GATEWAY), ...allow(WRITE, USER)],
};

db.getSiblingDB('admin').auth('root', process.env.MONGO_INITDB_ROOT_PASSWORD);
const gatehouse = db.getSiblingDB('gatehouse');
for (const [name, privileges] of Object.entries(PRIVILEGES)) {
  if (gatehouse.getRole(name)) gatehouse.updateRole(name, { privileges, roles: [] });
  else gatehouse.createRole({ role: name, privileges, roles: [] });
  const account = { pwd: process.env[`MONGODB_${name.toUpperCase()}_PASSWORD`], roles: [name] };
  if (gatehouse.getUser(name)) gatehouse.updateUser(name, account);
  else gatehouse.createUser({ user: name, ...account });
}
