import { KEY_PERMISSIONS } from '@gatehouse/shared/access/key-permissions';
import { html } from '../../html.ts';
import { texts } from '../../key-texts.ts';
import type { Result } from '../../parts/result.ts';
import { Keys } from '../keys/keys.ts';

/** What programs of the person need to use the API. */
export default function Developers({ result }: { result: Result }) {
  return html`
    <${Keys}
      path="/api/v1/users/me/keys"
      offered=${KEY_PERMISSIONS}
      hint=${texts.keys.hint}
      permissionsHint=${texts.keys.permissionsHint}
      result=${result}
    />
  `;
}
