import { useState } from 'preact/hooks';
import { ApiError } from '../../gate.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Notice } from '../../parts/notice.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../webhook-texts.ts';
import { AttemptView } from './attempt.ts';
import {
  deleteWebhook,
  type EventName,
  getWebhook,
  rotateSecret,
  sendTestEvent,
  type TestOutcome,
  updateWebhook,
} from './calls.ts';
import { Deliveries } from './deliveries.ts';
import { HealthPart } from './health.ts';
import { SampleDialog } from './sample-dialog.ts';
import { SecretField } from './secret-field.ts';
import { changesOf, SettingsInputs, settingsOf } from './settings.ts';
import { WebhookFacts } from './webhook-facts.ts';

const words = texts.webhooks;

/** One webhook: its settings and its deliveries. */
export default function WebhookPage({
  id,
  result,
  onSecret,
}: {
  id: string;
  result: Result;
  onSecret: (secret: string) => void;
}) {
  const loaded = useData(id, () => getWebhook(id));
  const [open, setOpen] = useState<'sample' | 'change' | 'rotate' | 'delete'>();
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
  const test = async (event?: EventName) => {
    setTested(undefined);
    const outcome = await sendTestEvent(id, event);
    setTested(outcome);
    if (!outcome.delivered) throw new ApiError(words.testFailed);
    return words.testDelivered;
  };
  const change = async (fields: Record<string, string>) => {
    const changes = changesOf(settingsOf(fields, webhook), webhook);
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
    <${ActionButton} kind="primary" run=${() => test()} result=${result}>${words.test}<//>
    <${ActionButton} run=${toggle} result=${result} otherText=${webhook.status === 'active' ? words.resume : words.pause}>${webhook.status === 'active' ? words.pause : words.resume}<//>
    <${Button} onClick=${() => setOpen('sample')}>${words.sample}<//>
    <${Button} onClick=${() => setOpen('change')}>${words.change}<//>
    <${Button} onClick=${() => setOpen('rotate')}>${words.rotate}<//>
    <${Button} onClick=${() => setOpen('delete')}>${words.delete}<//>
  `;
  return html`
    <${PageTitle} back=${back}>${webhook.name ?? webhook.url}<//>
    <${Section} title=${words.settings} actions=${actions}>
      ${webhook.status === 'disabled' && html`<${Notice} kind="info">${words.disabledHints[webhook.health.disabled_reason ?? 'gone']}<//>`}
      <${WebhookFacts} webhook=${webhook} />
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
    <${HealthPart} health=${webhook.details.health} />
    <${Deliveries} webhook=${webhook} result=${result} onRefresh=${loaded.reload} />
    ${
      open === 'sample' &&
      html`
        <${SampleDialog}
          webhook=${webhook}
          onClose=${close}
          onSend=${async (event: EventName) => {
            const sent = test(event).finally(close);
            await sent.then(result.succeed, result.fail);
          }}
        />
      `
    }
    ${
      open === 'change' &&
      html`
        <${Dialog} title=${words.changeTitle} onClose=${close}>
          <${Form} submit=${texts.actions.saveWebhook} onSubmit=${change}><${SettingsInputs} webhook=${webhook} /><//>
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
          action=${texts.actions.deleteWebhook}
          name=${webhook.name ?? new URL(webhook.url).host}
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
