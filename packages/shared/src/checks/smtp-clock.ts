import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { clockFinding, wholeSeconds } from './clock.ts';
import { type Finding, ok } from './finding.ts';

const TIMEOUT = 5_000;
/** The date in a greeting, as Sendmail and Exchange write it (RFC 5322 §3.3). */
const DATE = /\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:[+-]\d{4}|GMT|UTC)/;

/** Compares the clock of this machine with that of the mail server, if its greeting tells the time. */
export async function checkMailClock(url: string, now: () => number = Date.now): Promise<Finding[]> {
  const check = 'mail clock';
  const asked = now();
  let greeting: string;
  try {
    greeting = await readGreeting(new URL(url));
  } catch (error) {
    return [ok(check, `not read: ${(error as Error).message}`)];
  }
  const [date] = DATE.exec(greeting) ?? [];
  if (date === undefined) return [ok(check, 'the greeting of the mail server does not tell the time')];
  return [clockFinding(check, { asked, answered: now(), ...wholeSeconds(date) })];
}

function readGreeting({ protocol, hostname, port }: URL): Promise<string> {
  const isTls = protocol === 'smtps:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = { host, port: Number(port || (isTls ? 465 : 587)) };
  return new Promise((resolve, reject) => {
    // Nothing is sent that a certificate would have to protect.
    const socket = isTls ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target);
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('no greeting in time')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('data', (data: Buffer) => {
      resolve(data.subarray(0, 1_000).toString('latin1'));
      socket.end('QUIT\r\n');
    });
  });
}
