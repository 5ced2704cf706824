import { ApiError } from '../../gate.ts';
import { html } from '../../html.ts';
import { Form } from '../../parts/form.ts';
import { forgetClaim } from '../arrival.ts';
import { becomeOperator } from '../calls.ts';
import { texts } from '../texts.ts';

const words = texts.firstOperator;

/** Where the link for the first operator leads whoever is signed in. They decide: an opened link alone changes nothing. */
export default function FirstOperator({ claim, onDone }: { claim: string; onDone: () => Promise<void> }) {
  const become = async () => {
    try {
      await becomeOperator(claim);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) forgetClaim();
      throw error;
    }
    forgetClaim();
    await onDone();
  };
  return html`
    <p>${words.explanation}</p>
    <${Form} submit=${words.submit} onSubmit=${become} />
  `;
}
