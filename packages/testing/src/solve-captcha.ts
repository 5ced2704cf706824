import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';

/** Solves a challenge of the gateway, as its pages do in the browser. @returns the token for a login. */
export async function solveCaptcha(gateway: string): Promise<string> {
  const response = await fetch(new URL('/captcha/challenge', gateway));
  if (!response.ok) throw new Error(`${gateway} answered ${response.status}: ${await response.text()}`);
  const challenge = (await response.json()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('the challenge could not be solved in time');
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
