import '@gatehouse/shared/safe-exit';
import { loadConfig } from '@gatehouse/shared/config';
import { connect } from '@gatehouse/shared/data/connect';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { createIssuer } from '../issue-sessions.ts';
import { refuseProduction } from '../settings.ts';
import { applySeed, type SeedReport } from './apply-seed.ts';
import { readSeed } from './read-seed.ts';

/**
 * Seeds the installation of `npm start -- --seed`, whose launcher runs this beside the services. Arguments: the file,
 * and the connections of the practice providers in JSON, if they run.
 */
async function main([file = '', practice = '']: string[]): Promise<void> {
  refuseProduction(process.env);
  const people = await readSeed(file);
  const { config: userConfig } = loadConfig('user');
  const { config: loginConfig } = loadConfig('login');
  const db = await connect(userConfig.MONGODB_URI, COLLECTIONS, { appName: 'seed' });
  const now = Date.now;
  const issuer = createIssuer({ config: loginConfig, db, now });
  try {
    const report = await applySeed(people, {
      user: loginConfig.USER_SERVICE_URL,
      passwords: createPasswords(),
      practice: practice === '' ? undefined : JSON.parse(practice),
      ...{ userConfig, db, issuer, now },
    });
    console.log(signInsOf(report).join('\n'));
  } finally {
    await issuer.close();
    await db.close();
  }
}

const NOTES = {
  unverified: 'the code is in the mailbox',
  active: '',
  paused: 'paused: no call accepts its token',
  disabled: 'disabled: gets no token',
  deleting: 'deletion pending: a login takes it back',
} as const;

/** Who can sign in, and with what. */
function signInsOf({ people, organizations }: SeedReport): string[] {
  const width = Math.max(0, ...people.map(({ email }) => email.length));
  return [
    'The seed is in place. They sign in with:',
    '',
    ...people.map(({ email, state, password, totp }) => {
      const means = [password ?? 'no password', totp && `authenticator secret ${totp}`, NOTES[state]];
      return `  ${email.padEnd(width)}  ${means.filter(Boolean).join(', ')}`;
    }),
    ...organizations.map(({ name, organization_id }) => `  organization ${name}: ${organization_id}`),
  ];
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    for (const line of error.message.split('\n')) console.error(`seed: ${line}`);
    process.exit(1);
  },
);
