import { config, hasPasskeys, type Provider } from '../../config.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { ProviderLink } from '../../parts/provider-link.ts';
import { texts } from '../../visitor-texts.ts';
import { Way } from './way.ts';

const { providers, code } = config.ways;

const Or = () => html`<p class="or"><span>${texts.signIn.or}</span></p>`;

/** The ways to sign in that need neither an address nor a password. */
export const OtherWays = ({
  isAsking,
  onPasskey,
  children,
}: {
  /** Whether a passkey is being asked for. */
  isAsking: boolean;
  onPasskey: () => void;
  children?: unknown;
}) => html`
  <${Or} />
  <div class="ways">
    ${hasPasskeys() && html`<${Button} busy=${isAsking} onClick=${onPasskey}><${Way} way="passkey">${texts.signIn.passkey}<//><//>`}
    ${providers.length > 0 && html`<div class="providers">${providers.map(providerLink)}</div>`}
    ${children}
    <a class="button secondary" href="/sso" data-page><${Way} way="sso">${texts.signIn.sso}<//></a>
  </div>
`;

/** The way that needs an address but no password. */
export const MailedCode = () =>
  code &&
  html`<a class="button secondary" href="/code-login?start" data-page><${Way} way="code">${texts.signIn.code}<//></a>`;

/** A single provider has room for the whole sentence; several share rows and show only their names. */
const providerLink = ({ name, label }: Provider) => html`
  <${ProviderLink} name=${name}>
    <${Way} way=${name}>
      <span class=${providers.length > 1 ? 'visually-hidden' : ''}>${texts.signIn.continueWith}${' '}</span>${label}
    <//>
  <//>
`;
