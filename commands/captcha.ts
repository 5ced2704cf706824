import '@gatehouse/shared/safe-exit';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';

const USAGE = `Prints a solved CAPTCHA token, valid for one login and two minutes.

  npm run -s captcha [-- GATEWAY]     GATEWAY: base URL, http://localhost:GATEWAY_PORT by default`;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const gateway = positionals[0] ?? `http://localhost:${loadStandaloneConfig().GATEWAY_PORT}`;
try {
  const response = await fetch(new URL('/captcha/challenge', gateway));
  if (!response.ok) throw new Error(`${gateway} answered ${response.status}: ${await response.text()}`);
  const challenge = (await response.json()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('the challenge could not be solved in time');
  console.log(Buffer.from(JSON.stringify({ challenge, solution })).toString('base64'));
} catch (error) {
  const { message, cause } = error as Error;
  console.error(`captcha: ${cause ? `${gateway} cannot be reached (${(cause as Error).message})` : message}`);
  process.exit(1);
}
