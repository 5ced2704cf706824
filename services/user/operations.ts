import { scim } from '@gatehouse/scim/operations';
import { openIdConnect } from '@gatehouse/sso/openid-connect';
import { singleSignOn } from '@gatehouse/sso/operations';
import { socialLogins } from '@gatehouse/sso/social';
import { webhooks } from '@gatehouse/webhooks/operations';
import { account } from './account/account.ts';
import { loginCode } from './account/login-code/login-code.ts';
import { admin } from './admin/admin.ts';
import { archive } from './archive/archive.ts';
import { chatbots } from './chatbots/chatbots.ts';
import { factors } from './factors/factors.ts';
import { keys } from './keys/keys.ts';
import { legacyLogin } from './legacy/legacy-login.ts';
import { links } from './links/links.ts';
import { organizations } from './organizations/organizations.ts';
import { passkeys } from './passkeys/passkeys.ts';

/** Every operation of the user service. */
export const OPERATIONS = [
  ...account,
  ...loginCode,
  legacyLogin,
  ...factors,
  ...passkeys,
  ...keys,
  ...links,
  ...organizations,
  ...archive,
  ...chatbots,
  ...admin,
  ...webhooks,
  ...singleSignOn,
  ...openIdConnect,
  ...socialLogins,
  ...scim,
];
