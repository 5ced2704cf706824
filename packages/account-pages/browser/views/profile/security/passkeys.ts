import { useState } from 'preact/hooks';
import { hasPasskeys } from '../../../config.ts';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { Confirm } from '../../../parts/confirm.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Field } from '../../../parts/field.ts';
import { Form } from '../../../parts/form.ts';
import { Mark } from '../../../parts/mark.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { formatAgo, formatDate, texts } from '../../../security-texts.ts';
import { type Passkey, removePasskey, renamePasskey } from './calls.ts';

const { passkeys: words } = texts.security;

/** The passkeys of the account: they can be added, named and removed. */
export function PasskeysSection({
  passkeys,
  onChanged,
  result,
}: {
  passkeys: Passkey[];
  onChanged: () => Promise<void>;
  result: Result;
}) {
  const [isAdding, setAdding] = useState(false);
  const [naming, setNaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  const done = async (text: string) => {
    setAdding(false);
    setNaming(undefined);
    await onChanged();
    result.succeed(text);
  };
  const add = async ({ name = '' }: Record<string, string>) => {
    const { register } = await import('../../../passkeys.ts');
    await register(name.trim());
    await done(words.done);
  };
  const rename = async ({ name = '' }: Record<string, string>) => {
    if (naming) await renamePasskey(naming.passkey_id, name.trim());
    await done(words.renamed);
  };
  const remove = async () => {
    if (removing) await removePasskey(removing.passkey_id);
    await done(words.removed);
  };
  return html`
    <${Section}
      title=${words.title}
      actions=${hasPasskeys() && html`<${Button} onClick=${() => setAdding(true)}>${words.add}<//>`}
    >
      <p class="hint">${hasPasskeys() ? words.hint : words.unsupported}</p>
      <ul class="entries">
        ${passkeys.map(
          (passkey) => html`
            <li key=${passkey.passkey_id}>
              <${Mark} way="passkey" />
              <${Description} passkey=${passkey} />
              <div class="choice">
                <${Button} label=${words.renameOf(passkey.name)} onClick=${() => setNaming(passkey)}>${words.rename}<//>
                <${Button} label=${words.removeOf(passkey.name)} onClick=${() => setRemoving(passkey)}>${words.remove}<//>
              </div>
            </li>
          `,
        )}
      </ul>
      ${
        (isAdding || naming) &&
        html`
          <${Dialog}
            title=${naming ? words.rename : words.add}
            onClose=${() => {
              setAdding(false);
              setNaming(undefined);
            }}
          >
            ${isAdding && html`<p>${words.addExplanation}</p>`}
            <${Form} submit=${naming ? texts.profile.save : words.create} onSubmit=${naming ? rename : add}>
              <${Field}
                name="name"
                label=${words.name}
                hint=${words.nameHint}
                value=${naming?.name ?? thisDevice()}
                maxlength="100"
                autocomplete="off"
                autofocus
              />
            <//>
          <//>
        `
      }
      ${
        removing &&
        html`
          <${Confirm}
            title=${words.removeQuestion}
            action=${words.removeAction}
            onConfirm=${remove}
            onClose=${() => setRemoving(undefined)}
          >
            ${words.removeExplanation(removing.name)}
          <//>
        `
      }
    <//>
  `;
}

const Description = ({ passkey }: { passkey: Passkey }) => {
  const { name, device_family, provider, created_at, last_used_at } = passkey;
  const family = words.families[device_family];
  return html`
    <div class="device">
      <strong>${name}</strong>
      <span class="hint">${provider ? `${provider} · ${family}` : family}</span>
      <span class="hint">
        ${words.added(formatDate(created_at))} · ${last_used_at ? words.used(formatAgo(last_used_at)) : words.unused}
      </span>
    </div>
  `;
};

/** The suggested name of this device, such as `macOS`; empty if the browser does not tell. */
const thisDevice = (): string =>
  (navigator as { userAgentData?: { platform: string } }).userAgentData?.platform ?? '';
