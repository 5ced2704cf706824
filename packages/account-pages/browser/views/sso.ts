import { useEffect, useState } from 'preact/hooks';
import { arrival } from '../arrival.ts';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { beginWay } from '../last-way.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { Password } from '../parts/password.ts';
import { useLoginCaptcha } from '../parts/use-login-captcha.ts';
import { useSignIn } from '../parts/use-sign-in.ts';
import { rememberedEmail } from '../remembered-email.ts';
import { hasParameter, navigate } from '../router.ts';
import { discover, exchangeCode, type SsoConnection, signInWithDirectory } from '../sign-in-calls.ts';
import { texts } from '../visitor-texts.ts';

/** Signs in at an organization: finds its provider, or ends a login that comes back from there. */
export default function Sso() {
  const [directory, setDirectory] = useState<SsoConnection>();
  const [failure, setFailure] = useState<ApiError>();
  const [code, setCode] = useState(arrival.ssoCode);
  const { run, secondStep } = useSignIn({ onStartAgain: () => navigate('/') });
  useEffect(() => {
    if (!code) return;
    delete arrival.ssoCode; // it is valid once
    run(exchangeCode(code)).catch((error) => {
      setFailure(error);
      setCode('');
    });
  }, []);
  if (secondStep) return html`<h1>${texts.titles['sign-in']}</h1>${secondStep}`;
  if (code) {
    return html`
      <h1>${texts.titles.sso}</h1>
      <p role="status">${texts.sso.finishing}</p>
      <div class="skeleton"></div>
    `;
  }
  return html`
    <h1>${directory?.name ?? texts.titles.sso}</h1>
    ${failure && html`<${Notice} kind="error" requestId=${failure.requestId}>${failure.message}<//>`}
    ${directory ? html`<${Directory} slug=${directory.slug} />` : html`<${Organization} onDirectory=${setDirectory} />`}
    <p class="below"><a href="/" data-page>${texts.sso.otherWay}</a></p>
  `;
}

function Organization({ onDirectory }: { onDirectory: (connection: SsoConnection) => void }) {
  const submit = async ({ organization = '' }: Record<string, string>) => {
    const connection = await discover(organization.trim()).catch((error: ApiError) => {
      const isUnknown = error.status === 404 || error.status === 400;
      throw isUnknown ? new ApiError(texts.sso.unknown, { field: 'organization' }) : error;
    });
    if (connection.protocol === 'ldap') onDirectory(connection);
    else await leaveFor(loginPath(connection));
  };
  return html`
    <p>${texts.sso.explanation}</p>
    <${Form} onSubmit=${submit} submit=${texts.sso.submit} submitAtOnce=${hasParameter('start') && rememberedEmail() !== ''}>
      <${Field}
        name="organization"
        label=${texts.sso.organization}
        hint=${texts.sso.hint}
        value=${rememberedEmail()}
        autocomplete="email"
        autocapitalize="none"
        spellcheck=${false}
        autofocus
      />
    <//>
  `;
}

/** Loads another document. It settles when the browser shows this page again, as it was, because of the back button. */
function leaveFor(path: string): Promise<unknown> {
  beginWay('sso');
  const isBack = new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
  location.assign(path);
  return isBack;
}

/** The path at this host: a login never begins at an address that an answer names. */
const loginPath = ({ protocol, slug }: SsoConnection): string =>
  `/${protocol === 'saml' ? 'saml' : 'oauth'}/login/${encodeURIComponent(slug)}`;

/** The form of a directory (LDAP), which has no page of its own. */
function Directory({ slug }: { slug: string }) {
  const captcha = useLoginCaptcha();
  const { run, secondStep } = useSignIn({ isDirectory: true });
  const submit = async ({ username = '', password = '', recaptcha_token = '' }: Record<string, string>) => {
    const signingIn = signInWithDirectory(slug, username, password, recaptcha_token);
    await run(
      signingIn.catch((error) => {
        captcha.renew(error, recaptcha_token);
        throw error;
      }),
    );
  };
  if (secondStep) return secondStep;
  return html`
    <p>${texts.sso.directory}</p>
    <${Form} onSubmit=${submit} submit=${texts.signIn.submit}>
      <${Field} name="username" label=${texts.fields.username} autocomplete="username" autocapitalize="none" spellcheck=${false} autofocus />
      <${Password} autocomplete="current-password" />
      ${captcha.widget}
    <//>
  `;
}
