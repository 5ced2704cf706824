import { render } from 'preact';
import { confirmSession } from './account.ts';
import { ApiError } from './api.ts';
import { html } from './html.ts';
import { Dialog } from './parts/dialog.ts';
import { FactorCode } from './parts/factor-code.ts';
import { Form } from './parts/form.ts';
import { Password } from './parts/password.ts';
import { texts } from './security-texts.ts';
import { currentSession } from './session.ts';

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
    const submit = async ({ password = '', code = '' }: Record<string, string>) => {
      await confirmSession(methods.includes('totp') ? { code } : { password });
      resolve();
    };
    render(html`<${Confirmation} methods=${methods} onSubmit=${submit} onClose=${close} />`, host);
  }).finally(() => {
    render(null, host);
    host.remove();
  });
}

interface Props {
  methods: readonly string[];
  onSubmit: (fields: Record<string, string>) => Promise<void>;
  onClose: () => void;
}

const Confirmation = ({ methods, onSubmit, onClose }: Props) => html`
  <${Dialog} title=${texts.identity.title} onClose=${onClose}>
    ${
      methods.includes('login')
        ? html`
          <p>${texts.identity.atProvider}</p>
          <a class="button primary" href="/sso?start" data-page>${texts.signIn.toSso}</a>
        `
        : html`
          <p>${methods.includes('totp') ? texts.identity.withCode : texts.identity.withPassword}</p>
          <${Form} onSubmit=${onSubmit} submit=${texts.identity.submit}>
            ${
              methods.includes('totp')
                ? html`<${FactorCode} methods=${methods} />`
                : html`<${Password} autocomplete="current-password" autofocus />`
            }
          <//>
        `
    }
  <//>
`;
