import '@gatehouse/shared/safe-exit';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { solveCaptcha } from '@gatehouse/testing/solve-captcha';

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
  console.log(await solveCaptcha(gateway));
} catch (error) {
  const { message, cause } = error as Error;
  console.error(`captcha: ${cause ? `${gateway} cannot be reached (${(cause as Error).message})` : message}`);
  process.exit(1);
}
