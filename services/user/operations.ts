import { scim } from '@gatehouse/scim/operations';
import { openIdConnect } from '@gatehouse/sso/openid-connect';
import { singleSignOn } from '@gatehouse/sso/operations';
import { webhooks } from '@gatehouse/webhooks/operations';
import { account } from './account/account.ts';
import { archive } from './archive/archive.ts';
import { chatbots } from './chatbots/chatbots.ts';
import { factors } from './factors/factors.ts';
import { organizations } from './organizations/organizations.ts';

/** Every operation of the user service. */
export const OPERATIONS = [
  ...account,
  ...factors,
  ...organizations,
  ...archive,
  ...chatbots,
  ...webhooks,
  ...singleSignOn,
  ...openIdConnect,
  ...scim,
];
