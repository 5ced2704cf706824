import type { Component } from '../child.ts';

const HOST = '127.0.0.1';

/** Runs the mailbox in this process. Its modules load while the services start. */
export function runMailbox(smtpPort: number, httpPort: number): Component {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const ready = open(smtpPort, httpPort);
  ready.catch((error: Error) => {
    console.error(`mailbox: ${error.message}`);
    end(1);
  });
  // Nothing here outlives the process.
  return { name: 'mailbox', ready, ended, stop: async () => end(0) };
}

async function open(smtpPort: number, httpPort: number): Promise<void> {
  const [{ startMailbox }, { buildMailboxPage }] = await Promise.all([
    import('./mailbox.ts'),
    import('./page.ts'),
  ]);
  const mailbox = await startMailbox({ host: HOST, port: smtpPort });
  await buildMailboxPage(mailbox).listen({ host: HOST, port: httpPort });
}
