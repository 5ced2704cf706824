import { createContext, createElement, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Gatehouse } from './client.ts';
import type { SessionState } from './session.ts';

interface Props {
  children?: ReactNode;
}

const Context = createContext<Gatehouse | undefined>(undefined);

/** Gives the components below it their client. */
export const GatehouseProvider = ({ client, children }: Props & { client: Gatehouse }) =>
  createElement(Context.Provider, { value: client }, children);

/** Returns the client of the provider above. */
export function useGatehouse(): Gatehouse {
  const client = useContext(Context);
  if (!client) throw new Error('There is no GatehouseProvider above this component');
  return client;
}

/** A server does not know who looks at its page. */
const LOADING: SessionState = { status: 'loading' };

/** Returns the state of the session. The component is rendered again when it changes, also in another tab. */
export function useSession(): SessionState {
  const { session } = useGatehouse();
  return useSyncExternalStore(session.subscribe, session.state, () => LOADING);
}

/** Shows its children while somebody is signed in. */
export const SignedIn = ({ children }: Props): ReactNode =>
  useSession().status === 'signed-in' ? children : null;

/** Shows its children while nobody is. While the session loads, neither is shown. */
export const SignedOut = ({ children }: Props): ReactNode =>
  useSession().status === 'signed-out' ? children : null;
