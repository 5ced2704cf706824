import { createGatehouse } from 'gatehouse';
import { GatehouseProvider, SignedIn, SignedOut } from 'gatehouse/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Home } from './home.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

const client = createGatehouse({ url: import.meta.env.VITE_GATEHOUSE_URL ?? 'http://localhost:8000' });

function Visitor() {
  const [isNew, setIsNew] = useState(false);
  if (isNew) return <SignUp onDone={() => setIsNew(false)} />;
  return (
    <>
      <SignIn />
      <button type="button" onClick={() => setIsNew(true)}>
        Create an account
      </button>
    </>
  );
}

createRoot(document.querySelector('#app') as HTMLElement).render(
  <GatehouseProvider client={client}>
    <SignedOut>
      <Visitor />
    </SignedOut>
    <SignedIn>
      <Home />
    </SignedIn>
  </GatehouseProvider>,
);
