import { render } from 'preact';
import { confirmSession } from './account.ts';
import { config, hasPasskeys } from './config.ts';
import { ApiError } from './gate.ts';
import { html } from './html.ts';
import { Dialog } from './parts/dialog.ts';
import { FactorCode } from './parts/factor-code.ts';
import { Form } from './parts/form.ts';
import { Loading } from './parts/load-failure.ts';
import { PasskeyButton, type Passkeys } from './parts/passkey-button.ts';
import { Password } from './parts/password.ts';
import { ProviderLink } from './parts/provider-link.ts';
import { useData } from './parts/use-data.ts';
import { texts } from './security-texts.ts';
import { currentSession } from './session.ts';
import { readFactors } from './views/profile/security/calls.ts';

/**
 * Asks the person to confirm that they are there, above whatever page they are on. Resolves once the session is fresh.
 * @param methods in which the API lets them confirm.
 * @throws {ApiError} when they close the dialog, or cannot confirm here.
 */
export function confirmIdentity(methods: readonly string[]): Promise<void> {
  if (currentSession()?.supportFor) throw new ApiError(texts.identity.support);
  const host = document.body.appendChild(document.createElement('div'));
  return new Promise<void>((resolve, reject) => {
    const close = () => reject(new ApiError(texts.identity.cancelled));
    const prove = (proof: Proof) => confirmSession(proof).then(resolve);
    render(html`<${Confirmation} methods=${methods} prove=${prove} onClose=${close} />`, host);
  }).finally(() => {
    render(null, host);
    host.remove();
  });
}

type Proof = Parameters<typeof confirmSession>[0];

interface Props {
  methods: readonly string[];
  prove: (proof: Proof) => Promise<void>;
  onClose: () => void;
}

function Confirmation({ methods, prove, onClose }: Props) {
  const hasCode = methods.includes('totp');
  const hasForm = hasCode || methods.includes('password');
  const submit = ({ password = '', code = '' }: Record<string, string>) =>
    prove(hasCode ? { code } : { password });
  return html`
    <${Dialog} title=${texts.identity.title} onClose=${onClose}>
      ${
        hasForm &&
        html`
          <p>${hasCode ? texts.identity.withCode : texts.identity.withPassword}</p>
          <${Form} onSubmit=${submit} submit=${texts.identity.submit}>
            ${
              hasCode
                ? html`<${FactorCode} methods=${methods} />`
                : html`<${Password} autocomplete="current-password" autofocus />`
            }
          <//>
        `
      }
      ${hasPasskeys() && methods.includes('passkey') && html`<${WithPasskey} isAlone=${!hasForm} prove=${prove} />`}
      ${methods.includes('login') && html`<${LogInAgain} />`}
    <//>
  `;
}

const WithPasskey = ({ isAlone, prove }: { isAlone: boolean; prove: Props['prove'] }) => html`
  ${isAlone ? html`<p>${texts.identity.withPasskey}</p>` : html`<p class="or"><span>${texts.signIn.or}</span></p>`}
  <${PasskeyButton} run=${async ({ proveIdentity }: Passkeys) => prove(await proveIdentity())} />
`;

/** Leads to where the person logs in: the providers that they have linked, or else their organization. */
function LogInAgain() {
  const { data, error } = useData('factors', readFactors);
  if (!data && !error) return html`<${Loading} />`;
  const names = new Set(data?.links.map(({ provider }) => provider));
  const linked = config.ways.providers.filter(({ name }) => names.has(name));
  return html`
    <p>${texts.identity.atProvider}</p>
    ${linked.map(
      ({ name, label }) => html`
        <${ProviderLink} name=${name}>${texts.identity.again(label)}<//>
      `,
    )}
    ${linked.length === 0 && html`<a class="button primary" href="/sso?start" data-page>${texts.signIn.toSso}</a>`}
  `;
}
