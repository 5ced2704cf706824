import { createGatehouse } from 'gatehouse';
import { GatehouseProvider, SignedIn, SignedOut, useGatehouse, useSession } from 'gatehouse/react';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** An app of the platform that `client.test.ts` opens in two tabs. */

const client = createGatehouse({ url: new URLSearchParams(location.search).get('gateway') ?? '' });

function App() {
  const { status } = useSession();
  const gate = useGatehouse();
  const [name, setName] = useState('');
  const signIn = async (form: FormData) => {
    const [email, password] = ['email', 'password'].map((field) => String(form.get(field)));
    await gate.signIn({ email: email ?? '', password: password ?? '' });
  };
  const read = async () => {
    const { data, error } = await gate.GET('/api/v1/users/me');
    setName(data?.name ?? error?.reason ?? '');
  };
  return h(
    'main',
    null,
    h('p', { id: 'status' }, status),
    h(
      SignedOut,
      null,
      h(
        'form',
        { action: signIn },
        h('input', { name: 'email' }),
        h('input', { name: 'password' }),
        h('button', { type: 'submit' }, 'Sign in'),
      ),
    ),
    h(
      SignedIn,
      null,
      h('button', { type: 'button', onClick: read }, 'Read'),
      h('button', { type: 'button', onClick: () => gate.signOut() }, 'Sign out'),
      h('p', { id: 'name' }, name),
    ),
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  h(GatehouseProvider, { client }, h(App)),
);
