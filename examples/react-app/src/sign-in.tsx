import type { SignIn as Outcome } from 'gatehouse';
import { useGatehouse } from 'gatehouse/react';
import { useState } from 'react';
import { Form } from './form.tsx';

const INPUTS = {
  'E-mail': { name: 'email', type: 'email', autoComplete: 'username' },
  Password: { name: 'password', type: 'password', autoComplete: 'current-password' },
};
const CODE = { 'Code of your authenticator': { name: 'code', autoComplete: 'one-time-code' } };

/** When the client has signed in, `SignedIn` shows its children. */
export function SignIn() {
  const gate = useGatehouse();
  const [factorToken, setFactorToken] = useState('');

  function follow(outcome: Outcome) {
    if (outcome.status === 'second-factor') setFactorToken(outcome.factor_token);
    return outcome.status === 'failed' ? outcome.error.message : undefined;
  }
  const signIn = async ({ email = '', password = '' }) => follow(await gate.signIn({ email, password }));
  const complete = async ({ code = '' }) =>
    follow(await gate.completeSignIn({ factor_token: factorToken, code }));

  if (factorToken) return <Form key="code" button="Continue" inputs={CODE} submit={complete} />;
  return <Form key="password" button="Sign in" inputs={INPUTS} submit={signIn} />;
}
