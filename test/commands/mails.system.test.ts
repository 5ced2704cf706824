import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LANGUAGES } from '@gatehouse/shared/http/language';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { expect, test } from 'vitest';

const command = (env: NodeJS.ProcessEnv, ...options: string[]) =>
  promisify(execFile)(process.execPath, ['commands/mails.ts', ...options], {
    env: { PATH: process.env.PATH, ...env },
  });

test('sends every mail to the mailbox, never to SMTP_URL', async () => {
  const [mailbox, customers] = [await startMailbox({ port: 0 }), await startMailbox({ port: 0 })];
  const env = {
    STANDALONE_SMTP_PORT: `${mailbox.port}`,
    SMTP_URL: `smtp://127.0.0.1:${customers.port}`,
    BRAND_NAME: 'Engines',
    NODE_ENV: 'production',
    PUBLIC_URL: '',
  };
  const { stdout } = await command(env, 'grace@example.com');
  const [, inEach, languages] = /^Sent (\d+) mails in each of (\d+) languages: http:/.exec(stdout) ?? [];
  expect(languages).toBe(String(LANGUAGES.length));
  expect(mailbox.mails).toHaveLength(Number(inEach) * LANGUAGES.length);
  expect(new Set(mailbox.mails.flatMap(({ recipients }) => recipients))).toEqual(
    new Set(['grace@example.com']),
  );
  expect(mailbox.mails[0]?.content.text).toMatch(/http:\/\/localhost:8000\/[\s\S]*\n-- \nEngines\n$/);
  expect(customers.mails).toEqual([]);
  await mailbox.close();
  await customers.close();
});

test('explains itself, and what is missing', async () => {
  expect((await command({}, '--help')).stdout).toContain('npm run -s mails');
  await expect(command({ STANDALONE_SMTP_PORT: '1' })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^mails: .*; is npm start running\?\n$/),
  });
});
