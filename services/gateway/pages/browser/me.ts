import { get } from './api.ts';
import { currentSession } from './session.ts';

let known: { token: string | undefined; id: Promise<string> } | undefined;

/** Returns the `user_id` of the signed-in account; one call for each token. */
export function ownId(): Promise<string> {
  const token = currentSession()?.token;
  if (known?.token !== token) {
    const id = get<{ user_id: string | null }>('/api/v1/users/me').then(({ user_id }) => user_id ?? '');
    known = { token, id };
    id.catch(() => {
      known = undefined;
    });
  }
  return (known as { id: Promise<string> }).id;
}
