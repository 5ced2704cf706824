import { chromium } from '/work/wt/f/node_modules/playwright-core/index.mjs';
import { startGateway } from '/work/wt/f/test/fixtures/gateway.ts';
const P = (n: string, l: string) => ({ name: n, label: l, login_url: '' });
const five = [P('google','Google'),P('microsoft','Microsoft'),P('apple','Apple'),P('github','GitHub'),P('gitlab','GitLab')];
const CONFIGS: Record<string, object> = {
  plain: { passkey: true, code: false, providers: [], sign_in: 'password' },
  all: { passkey: true, code: true, providers: five, sign_in: 'password', last: 'github' },
  two: { passkey: true, code: true, providers: five.slice(0, 2), sign_in: 'password', last: 'password' },
  one: { passkey: true, code: false, providers: [P('university','Example University')], sign_in: 'password', last:'passkey' },
  first: { passkey: true, code: true, providers: five.slice(0, 4), sign_in: 'email-first', last:'google' },
};
const only = process.argv[2]?.split(',');
const b = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
for (const [name, ways] of Object.entries(CONFIGS)) {
  if (only && !only.includes(name)) continue;
  const w = ways as any; for (const k of Object.keys(process.env)) if (k.startsWith('SOCIAL_')) delete process.env[k]; const env: any = { LOGIN_BY_CODE: w.code ? 'on' : 'off', SIGN_IN_FORM: w.sign_in, PUBLIC_URL: 'http://localhost:8000', ...(w.providers.length ? { SOCIAL_PROVIDERS: w.providers.map((p: any) => p.name).join(',') } : {}), SOCIAL_UNIVERSITY_LABEL: 'Example University' };
  const g = await startGateway({ env });
  const url = g.url.replace('127.0.0.1', 'localhost');
  for (const width of [360, 768, 1280]) for (const scheme of ['light', 'dark'] as const) {
    const ctx = await b.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, locale: process.env.L ?? 'en-US' });
    const last = (ways as any).last;
    if (last) await ctx.addInitScript(`try{localStorage.setItem('gatehouse.last-way','${last}')}catch{}`);
    const p = await ctx.newPage();
    p.on('pageerror', (e) => console.log('ERR', e.message));
    p.on('console', (m) => m.type() === 'error' && !m.text().startsWith('Failed') && console.log(m.text()));
    await p.goto(url + '/');
    await p.locator('main h1').waitFor();
    if (width !== 768 || scheme === 'light') await p.screenshot({ path: `/tmp/shots/${name}-${scheme}-${width}.png`, fullPage: true });
    await ctx.close();
  }
  await g.stop();
}
await b.close();
process.exit(0);
