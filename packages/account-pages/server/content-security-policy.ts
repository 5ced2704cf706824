import type { GatewayConfig } from '@gatehouse/shared/config';

type Settings = Pick<GatewayConfig, 'CAPTCHA_PROVIDER' | 'BRAND_LOGO_URL'>;

/** What each CAPTCHA provider's widget loads, from the provider's documentation of Content Security Policy. */
const CAPTCHA_HOSTS: Record<
  GatewayConfig['CAPTCHA_PROVIDER'],
  { scripts?: string; frames?: string; connects?: string; styles?: string }
> = {
  recaptcha: {
    scripts: 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
    frames: 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
  },
  hcaptcha: {
    scripts: 'https://hcaptcha.com https://*.hcaptcha.com',
    frames: 'https://hcaptcha.com https://*.hcaptcha.com',
    connects: 'https://hcaptcha.com https://*.hcaptcha.com',
    styles: 'https://hcaptcha.com https://*.hcaptcha.com',
  },
  turnstile: {
    scripts: 'https://challenges.cloudflare.com',
    frames: 'https://challenges.cloudflare.com',
  },
  altcha: {},
  none: {},
};

/** The Content-Security-Policy of the account pages: nothing inline, and other hosts only for CAPTCHA and logo. */
export function contentSecurityPolicy({ CAPTCHA_PROVIDER, BRAND_LOGO_URL }: Settings): string {
  const { scripts, frames = "'none'", connects, styles } = CAPTCHA_HOSTS[CAPTCHA_PROVIDER];
  const logo = BRAND_LOGO_URL?.startsWith('/') === false ? new URL(BRAND_LOGO_URL).origin : undefined;
  const directives = {
    'default-src': "'none'",
    'script-src': ["'self'", scripts],
    'style-src': ["'self'", styles],
    'img-src': ["'self'", logo],
    'connect-src': ["'self'", connects],
    'frame-src': frames,
    'worker-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...[sources].flat().filter((source) => source !== undefined)].join(' '))
    .join('; ');
}
