import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { Lazy } from '../parts/lazy.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { SecretDialog } from '../parts/secret-dialog.ts';
import { useQuery } from '../router.ts';
import { WebhookList } from './webhooks/list.ts';

/** The list of webhooks, or the one that the address names. */
export default function Webhooks() {
  const id = useQuery().get('webhook');
  const result = useResult();
  const [secret, setSecret] = useState<string>();
  const props = { result, onSecret: setSecret };
  return html`
    ${id ? html`<${Lazy} key=${id} load=${() => import('./webhooks/webhook.ts')} id=${id} ...${props} />` : html`<${WebhookList} ...${props} />`}
    ${secret && html`<${SecretDialog} secret=${secret} onClose=${() => setSecret(undefined)} />`}
    <${ResultToast} result=${result} />
  `;
}
