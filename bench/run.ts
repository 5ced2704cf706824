import { adminSearch } from './admin-search.ts';
import { closing } from './closing.ts';
import { factorLogin } from './factor-login.ts';
import { flood } from './flood.ts';
import { gateway } from './gateway.ts';
import { growth } from './growth.ts';
import { healthLive } from './health-live.ts';
import { importing } from './import.ts';
import { listChatbots } from './list-chatbots.ts';
import { lists } from './lists.ts';
import { login } from './login.ts';
import { millionUsers } from './million-users.ts';
import { oidc } from './oidc.ts';
import { pages } from './pages.ts';
import { passkeyLogin } from './passkey-login.ts';
import { save } from './report.ts';
import { rivals } from './rivals.ts';
import { saml } from './saml.ts';
import { scim } from './scim.ts';
import { startup } from './startup.ts';
import { usersMe } from './users-me.ts';
import { webhooks } from './webhooks.ts';

const benchmarks: Record<string, () => Promise<void>> = {
  startup,
  rivals,
  'health-live': healthLive,
  login,
  'factor-login': factorLogin,
  'passkey-login': passkeyLogin,
  flood,
  'users-me': usersMe,
  gateway,
  pages,
  'list-chatbots': listChatbots,
  lists,
  'million-users': millionUsers,
  'admin-search': adminSearch,
  import: importing,
  webhooks,
  growth,
  saml,
  oidc,
  scim,
  closing,
};

const USAGE = `Benchmarks, as ratios within one run.

  npm run bench [-- [--save] ${Object.keys(benchmarks).join(' | ')}]

--save writes bench/results.json and docs/images/benchmarks.svg.`;

const wanted = process.argv.slice(2).filter((argument) => argument !== '--save');
if (wanted.some((name) => !(name in benchmarks))) {
  console.log(USAGE);
  process.exit(wanted.includes('--help') ? 0 : 1);
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  await run();
}
if (process.argv.includes('--save')) await save();
