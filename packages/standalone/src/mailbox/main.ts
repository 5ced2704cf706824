import '@gatehouse/shared/safe-exit';
import { parseArgs } from 'node:util';
import { startMailbox } from './mailbox.ts';
import { buildMailboxPage } from './page.ts';

const USAGE = `Accepts every mail and shows it on a web page.

  node main.ts [--smtp-port 1025] [--http-port 8025]`;

const { values } = parseArgs({
  options: {
    'smtp-port': { type: 'string', default: '1025' },
    'http-port': { type: 'string', default: '8025' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

try {
  const host = '127.0.0.1';
  const mailbox = await startMailbox({ host, port: Number(values['smtp-port']) });
  const page = buildMailboxPage(mailbox);
  const stop = async () => {
    await Promise.all([page.close(), mailbox.close()]);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(signal, stop);
  if (process.connected === false) await stop(); // the parent was gone before the listener was there
  await page.listen({ host, port: Number(values['http-port']) });
  // If the parent is gone already, the disconnect event stops the mailbox: ignore the failed send.
  process.send?.('ready', undefined, {}, () => {});
} catch (error) {
  console.error(`mailbox: ${(error as Error).message}`);
  process.exit(1);
}
