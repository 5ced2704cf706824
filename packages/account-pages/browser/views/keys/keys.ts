import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { texts } from '../../key-texts.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import type { Result } from '../../parts/result.ts';
import { SecretDialog } from '../../parts/secret-dialog.ts';
import { Section } from '../../parts/section.ts';
import { Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { createKey, deleteKey, listKeys, type MachineKey, rotateKey, updateKey } from './calls.ts';
import { keyColumns } from './key-columns.ts';
import { changesOf, KeyInputs, keyFieldsIn } from './key-inputs.ts';
import { OverlapSelect } from './overlap-select.ts';

const words = texts.keys;

/** The machine keys of a person or of a service account: they can be made, changed, rotated and deleted. */
export function Keys({
  path,
  offered,
  hint,
  permissionsHint,
  isReadOnly = false,
  result,
}: {
  /** The path of the keys in the API. */
  path: string;
  /** The permissions that these keys can have. */
  offered: readonly KeyPermission[];
  hint: string;
  permissionsHint: string;
  isReadOnly?: boolean;
  result: Result;
}) {
  const loaded = useData(path, async () => ({ data: (await listKeys(path)).keys }));
  const [open, setOpen] = useState<
    { action: 'create' } | { action: 'change' | 'rotate' | 'delete'; key: MachineKey }
  >();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  const make = async (call: () => Promise<{ key: string }>) => {
    const { key } = await changeAndReload(loaded.reload, call);
    close();
    setSecret(key);
  };
  const change = async (key: MachineKey, fields: Record<string, string>) => {
    const changes = changesOf(keyFieldsIn(fields), key, fields.expires_at);
    if (Object.keys(changes).length > 0)
      await changeAndReload(loaded.reload, () => updateKey(path, key, changes));
    close();
    result.succeed(words.changed);
  };
  const actions = (key: MachineKey) => html`
    <div class="row-actions">
      <${Button} kind="plain" label=${words.changeOf(key.name)} onClick=${() => setOpen({ action: 'change', key })}>${words.change}<//>
      <${Button} kind="plain" label=${words.rotateOf(key.name)} onClick=${() => setOpen({ action: 'rotate', key })}>${words.rotate}<//>
      <${Button} kind="plain" label=${words.deleteOf(key.name)} onClick=${() => setOpen({ action: 'delete', key })}>${words.delete}<//>
    </div>
  `;
  const create =
    !isReadOnly &&
    html`<${Button} kind="primary" onClick=${() => setOpen({ action: 'create' })}>${words.create}<//>`;
  const isEmpty = loaded.data?.data.length === 0;
  return html`
    <${Section} title=${words.title} actions=${!isEmpty && create}>
      <p class="muted">${hint}</p>
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${keyColumns(isReadOnly ? undefined : actions)}
        keyOf=${({ key_id }: MachineKey) => key_id}
        empty=${html`<h3>${words.none}</h3><p>${words.noneHint}</p>${create}`}
      />
    <//>
    ${
      open?.action === 'create' &&
      html`
        <${Dialog} title=${words.create} onClose=${close}>
          <${Form} submit=${words.createAction} onSubmit=${(fields: Record<string, string>) => make(() => createKey(path, keyFieldsIn(fields)))}>
            <${KeyInputs} permissionsHint=${permissionsHint} offered=${offered} />
          <//>
        <//>
      `
    }
    ${
      open?.action === 'change' &&
      html`
        <${Dialog} title=${words.changeTitle} onClose=${close}>
          <${Form} submit=${texts.lists.save} onSubmit=${(fields: Record<string, string>) => change(open.key, fields)}>
            <${KeyInputs} record=${open.key} permissionsHint=${permissionsHint} offered=${offered} />
          <//>
        <//>
      `
    }
    ${
      open?.action === 'rotate' &&
      html`
        <${Dialog} title=${words.rotateTitle} onClose=${close}>
          <p>${words.rotateExplanation(open.key.name)}</p>
          <${Form}
            submit=${words.rotateAction}
            onSubmit=${({ overlap_days }: Record<string, string>) => make(() => rotateKey(path, open.key, Number(overlap_days)))}
          >
            <${OverlapSelect} />
          <//>
        <//>
      `
    }
    ${
      open?.action === 'delete' &&
      html`
        <${Confirm}
          title=${words.deleteTitle}
          action=${words.deleteAction}
          onClose=${close}
          onConfirm=${async () => {
            await changeAndReload(loaded.reload, () => deleteKey(path, open.key));
            result.succeed(words.deleted(open.key.name));
          }}
        >
          ${words.deleteExplanation(open.key.name)}
        <//>
      `
    }
    ${secret && html`<${SecretDialog} words=${words.secret} secret=${secret} onClose=${() => setSecret(undefined)} />`}
  `;
}
