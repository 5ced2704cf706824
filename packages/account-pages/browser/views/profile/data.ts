import { html } from '../../html.ts';
import { Activity } from './activity.ts';
import { DeleteAccount } from './delete-account.ts';
import type { Profile } from './record.ts';
import { Loading, useProfile } from './use-profile.ts';

/** What the account keeps about the person, and how to leave. */
export default function Data() {
  const loaded = useProfile();
  return html`
    <${Activity} />
    <${Loading} loaded=${loaded}>${({ email }: Profile) => html`<${DeleteAccount} email=${email} />`}<//>
  `;
}
