import { html } from '../../html.ts';
import type { Result } from '../../parts/result.ts';
import type { Profile } from '../../profile.ts';
import { Activity } from './activity.ts';
import { DeleteAccount } from './delete-account.ts';
import { DownloadData } from './download-data.ts';
import { Loading, useProfile } from './use-profile.ts';

/** What the account keeps about the person, and how to leave. */
export default function Data({ result }: { result: Result }) {
  const loaded = useProfile();
  return html`
    <${Activity} />
    <${DownloadData} result=${result} />
    <${Loading} loaded=${loaded}>${({ email }: Profile) => html`<${DeleteAccount} email=${email} />`}<//>
  `;
}
