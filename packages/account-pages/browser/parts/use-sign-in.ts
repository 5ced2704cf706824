import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { type HalfSignIn, halfSignInOf, showAccount } from '../sign-in-calls.ts';
import { Lazy } from './lazy.ts';

/**
 * Signs in and shows the account. A sign-in that waits for its second step has that in `secondStep`.
 * @param options.isDirectory whether a directory checks the password.
 * @param options.onStartAgain is called when the person gives up the second step.
 */
export function useSignIn({ isDirectory = false, onStartAgain = () => {} } = {}) {
  const [half, setHalf] = useState<HalfSignIn>();
  return {
    /** @throws {ApiError} any refusal but the one that leads to the second step. */
    async run(signIn: Promise<void>): Promise<void> {
      try {
        await signIn;
        showAccount();
      } catch (error) {
        const begun = halfSignInOf(error);
        if (!begun) throw error;
        setHalf(begun);
      }
    },
    secondStep:
      half &&
      html`
        <${Lazy}
          load=${() => import('./second-step.ts')}
          half=${half}
          isDirectory=${isDirectory}
          onStartAgain=${() => {
            setHalf(undefined);
            onStartAgain();
          }}
        />
      `,
  };
}
