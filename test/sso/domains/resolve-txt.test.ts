import { createSocket } from 'node:dgram';
import { expect, it } from 'vitest';
import { createResolveTxt } from '../../../packages/sso/domains/resolve-txt.ts';

it('does not wait for a name server that does not answer', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  const resolveTxt = createResolveTxt({ timeout: 100, servers: [`127.0.0.1:${silent.address().port}`] });
  await expect(resolveTxt('_gatehouse.corp.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  silent.close();
});
