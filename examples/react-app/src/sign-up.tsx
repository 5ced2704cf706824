import { useGatehouse } from 'gatehouse/react';
import { useState } from 'react';
import { Form } from './form.tsx';

const INPUTS = {
  Name: { name: 'name', autoComplete: 'name' },
  'E-mail': { name: 'email', type: 'email', autoComplete: 'email' },
  Password: { name: 'password', type: 'password', autoComplete: 'new-password' },
};
const CODE = { Code: { name: 'otp', inputMode: 'numeric', autoComplete: 'one-time-code' } } as const;

/** Creates an account, and activates it with the mailed code, which is valid for a minute. */
export function SignUp({ onDone }: { onDone(): void }) {
  const gate = useGatehouse();
  const [signup, setSignup] = useState({ email: '', password: '', name: '', token: '' });

  async function signUp({ email = '', password = '', name = '' }) {
    const { data, error } = await gate.POST('/v2/signup', { body: { email, password, name } });
    if (data) setSignup({ email, password, name, token: data.token });
    return error?.message;
  }
  async function activate({ otp = '' }) {
    const { email, token } = signup;
    const { error } = await gate.POST('/v2/verify-otp', { body: { email, otp, token } });
    if (!error) onDone();
    return error?.message;
  }

  if (!signup.token) return <Form key="data" button="Sign up" inputs={INPUTS} submit={signUp} />;
  return (
    <>
      <Form key="code" button="Confirm" inputs={CODE} submit={activate} />
      <Form key="again" button="Send another code" submit={() => signUp(signup)} />
    </>
  );
}
