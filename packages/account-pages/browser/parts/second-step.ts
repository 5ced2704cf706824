import { completeSignIn, type HalfSignIn, showAccount } from '../account.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import { FactorCode } from './factor-code.ts';
import { Form } from './form.ts';

interface Props {
  half: HalfSignIn;
  /** Whether a directory has checked the password. */
  isDirectory?: boolean;
  onStartAgain: () => void;
}

/** The second step of a sign-in: a code of the second factor. */
export default function SecondStep({ half, isDirectory = false, onStartAgain }: Props) {
  const submit = async ({ code = '' }: Record<string, string>) => {
    await completeSignIn(half, code, isDirectory);
    showAccount();
  };
  return html`
    <p>${texts.factor.explanation}</p>
    <${Form} onSubmit=${submit} submit=${texts.factor.submit}>
      <${FactorCode} methods=${half.methods} />
    <//>
    <p class="below"><${Button} kind="link" onClick=${onStartAgain}>${texts.factor.startAgain}<//></p>
  `;
}
