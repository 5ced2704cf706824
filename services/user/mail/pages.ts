import type { MailBrand } from './layout.ts';
import type { Pages } from './mails.ts';

/** The account pages that mails lead to. Tokens and codes are in the fragment, which no server sees. */
export function pagesOf({ PUBLIC_URL: base }: Pick<MailBrand, 'PUBLIC_URL'>): Pages {
  return {
    login: `${base}/login`,
    forgotPassword: `${base}/forgot`,
    keys: `${base}/profile?part=developers`,
    webhook: (webhook_id) => `${base}/webhooks?webhook=${encodeURIComponent(webhook_id)}`,
    codeLogin: (login) => `${base}/code-login#${new URLSearchParams(login)}`,
    undoEmail: (token) => `${base}/undo-email#${new URLSearchParams({ token })}`,
  };
}
