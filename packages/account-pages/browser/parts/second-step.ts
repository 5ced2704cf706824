import { hasPasskeys } from '../config.ts';
import { html } from '../html.ts';
import { completeSignIn, type HalfSignIn, showAccount } from '../sign-in-calls.ts';
import { texts } from '../visitor-texts.ts';
import { Button } from './button.ts';
import { FactorCode } from './factor-code.ts';
import { Form } from './form.ts';
import { PasskeyButton, type Passkeys } from './passkey-button.ts';
import { useAutofocus } from './use-autofocus.ts';

interface Props {
  half: HalfSignIn;
  /** Whether a directory has checked the password. */
  isDirectory?: boolean;
  onStartAgain: () => void;
}

/** The second step of a sign-in: a code of the second factor, or a passkey of the account. */
export default function SecondStep({ half, isDirectory = false, onStartAgain }: Props) {
  useAutofocus();
  const complete = async (proof: Parameters<typeof completeSignIn>[1]) => {
    await completeSignIn(half, proof, isDirectory);
    showAccount();
  };
  const submit = ({ code = '' }: Record<string, string>) => complete({ code });
  return html`
    <p>${texts.factor.explanation}</p>
    <${Form} onSubmit=${submit} submit=${texts.factor.submit}>
      <${FactorCode} methods=${half.methods} />
    <//>
    ${
      hasPasskeys() &&
      half.methods.includes('passkey') &&
      html`
        <p class="or"><span>${texts.signIn.or}</span></p>
        <${PasskeyButton} run=${async ({ proveSecondStep }: Passkeys) => complete(await proveSecondStep(half))} />
      `
    }
    <p class="below"><${Button} kind="link" onClick=${onStartAgain}>${texts.factor.startAgain}<//></p>
  `;
}
