import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { useQuery } from '../router.ts';
import { WebhookList } from './webhooks/list.ts';
import { SecretDialog } from './webhooks/secret-dialog.ts';
import { WebhookPage } from './webhooks/webhook.ts';

/** The list of webhooks, or the one that the address names. */
export default function Webhooks() {
  const id = useQuery().get('webhook');
  const result = useResult();
  const [secret, setSecret] = useState<string>();
  const props = { result, onSecret: setSecret };
  return html`
    ${id ? html`<${WebhookPage} key=${id} id=${id} ...${props} />` : html`<${WebhookList} ...${props} />`}
    ${secret && html`<${SecretDialog} secret=${secret} onClose=${() => setSecret(undefined)} />`}
    <${ResultToast} result=${result} />
  `;
}
