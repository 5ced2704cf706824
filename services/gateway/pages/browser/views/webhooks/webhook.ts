import { useState } from 'preact/hooks';
import { formatDateTime, texts } from '../../account-texts.ts';
import { ApiError } from '../../api.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Facts } from '../../parts/facts.ts';
import { Form } from '../../parts/form.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Notice } from '../../parts/notice.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { navigate } from '../../router.ts';
import { AttemptView } from './attempt.ts';
import {
  deleteWebhook,
  EVENTS,
  getWebhook,
  rotateSecret,
  sendTestEvent,
  type TestOutcome,
  updateWebhook,
} from './calls.ts';
import { Deliveries } from './deliveries.ts';
import { TONES } from './list.ts';
import { SecretField } from './secret-field.ts';
import { SettingsInputs, settingsOf } from './settings.ts';

const words = texts.webhooks;

/** One webhook: its settings and its deliveries. */
export function WebhookPage({
  id,
  result,
  onSecret,
}: {
  id: string;
  result: Result;
  onSecret: (secret: string) => void;
}) {
  const loaded = useData(id, () => getWebhook(id));
  const [open, setOpen] = useState<'change' | 'rotate' | 'delete'>();
  const [tested, setTested] = useState<TestOutcome>();
  const close = () => setOpen(undefined);
  const back = { path: '/webhooks', title: texts.titles.webhooks };
  const webhook = loaded.data;
  if (!webhook || loaded.error?.status === 404) {
    return html`
      <${PageTitle} back=${back}>${words.one}<//>
      <${LoadFailure} loaded=${loaded} gone=${words.gone} />
    `;
  }
  const toggle = async () => {
    const status = webhook.status === 'active' ? 'paused' : 'active';
    await changeAndReload(loaded.reload, () => updateWebhook(id, { status }));
    return words.changedTo[status];
  };
  const test = async () => {
    setTested(undefined);
    const outcome = await sendTestEvent(id);
    setTested(outcome);
    if (!outcome.delivered) throw new ApiError(words.testFailed);
    return words.testDelivered;
  };
  const change = async (fields: Record<string, string>) => {
    const { url, events } = settingsOf(fields);
    if (events.length === 0) throw new ApiError(words.noEvents);
    // Only what has changed: another tab may be changing the rest.
    const changes = {
      ...(url !== webhook.url && { url }),
      ...(events.join() !== EVENTS.filter((event) => webhook.events.includes(event)).join() && { events }),
    };
    if (Object.keys(changes).length > 0)
      await changeAndReload(loaded.reload, () => updateWebhook(id, changes));
    close();
    result.succeed(words.saved);
  };
  const rotate = async ({ kind, secret }: Record<string, string>) => {
    const rotated = await changeAndReload(loaded.reload, () =>
      rotateSecret(id, kind === 'own' ? secret : undefined),
    );
    close();
    if (rotated.secret) onSecret(rotated.secret);
    result.succeed(words.rotated);
  };
  const actions = html`
    <${ActionButton} kind="primary" run=${test} result=${result}>${words.test}<//>
    <${ActionButton} run=${toggle} result=${result}>${webhook.status === 'active' ? words.pause : words.resume}<//>
    <${Button} onClick=${() => setOpen('change')}>${words.change}<//>
    <${Button} onClick=${() => setOpen('rotate')}>${words.rotate}<//>
    <${Button} onClick=${() => setOpen('delete')}>${words.delete}<//>
  `;
  return html`
    <${PageTitle} back=${back}>${webhook.url}<//>
    <${Section} title=${words.settings} actions=${actions}>
      ${webhook.status === 'disabled' && html`<${Notice} kind="info">${words.disabledHint}<//>`}
      <${Facts}
        facts=${[
          [words.status, html`<${Badge} tone=${TONES[webhook.status]}>${words.statuses[webhook.status]}<//>`],
          [
            words.events,
            html`<ul class="plain-list">${webhook.events.map((event) => html`<li>${words.eventNames[event] ?? event}</li>`)}</ul>`,
          ],
          [words.created, formatDateTime(webhook.created_at)],
          ...(webhook.previous_secret_until
            ? [[words.previousSecret, words.validUntil(formatDateTime(webhook.previous_secret_until))]]
            : []),
          [texts.chatbots.id, html`<code>${webhook.webhook_id}</code>`, true],
        ]}
      />
      ${
        tested &&
        html`
          <div class="outcome">
            <h3>${words.testOutcome}</h3>
            <${AttemptView} attempt=${tested} />
          </div>
        `
      }
    <//>
    <${Deliveries} webhook=${webhook} result=${result} />
    ${
      open === 'change' &&
      html`
        <${Dialog} title=${words.change} onClose=${close}>
          <${Form} submit=${texts.lists.save} onSubmit=${change}><${SettingsInputs} webhook=${webhook} /><//>
        <//>
      `
    }
    ${
      open === 'rotate' &&
      html`
        <${Dialog} title=${words.rotate} onClose=${close}>
          <p>${words.rotateHint}</p>
          <${Form} submit=${words.rotate} onSubmit=${rotate}><${SecretField} /><//>
        <//>
      `
    }
    ${
      open === 'delete' &&
      html`
        <${Confirm}
          title=${words.deleteTitle}
          action=${words.delete}
          onClose=${close}
          onConfirm=${async () => {
            await deleteWebhook(id);
            result.succeed(words.deleted);
            navigate('/webhooks', { replace: true });
          }}
        >
          ${words.deleteWarning}
        <//>
      `
    }
  `;
}
