import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Field } from '../../parts/field.ts';
import { texts } from '../../webhook-texts.ts';

const words = texts.webhooks;

/** Headers that one webhook can have. */
const MAX_HEADERS = 5;

/** Headers that every delivery carries. The values of those that are stored cannot be seen, only replaced. */
export function HeaderInputs({ stored = [] }: { stored?: readonly string[] }) {
  const [rows, setRows] = useState(() => stored.map((name, key) => ({ key, name })));
  const [added, setAdded] = useState(stored.length);
  const add = () => {
    setRows([...rows, { key: added, name: '' }]);
    setAdded(added + 1);
  };
  return html`
    <fieldset class="rows">
      <legend>${words.headers}</legend>
      <p class="hint">${words.headersHint}</p>
      ${rows.map(
        ({ key, name }) => html`
          <div class="row-fields" key=${key}>
            <${Field} name=${`header-name-${key}`} label=${words.headerName} required=${false} maxlength="100" autocomplete="off" spellcheck=${false} defaultValue=${name} readonly=${name !== ''} />
            <${Field}
              name=${`header-value-${key}`}
              label=${words.headerValue}
              maxlength="1024"
              autocomplete="off"
              spellcheck=${false}
              required=${false}
              placeholder=${name === '' ? '' : words.headerKept}
            />
            <${Button} kind="plain" label=${`${words.removeHeader}: ${name}`} onClick=${() => setRows(rows.filter((row) => row.key !== key))}>${words.removeHeader}<//>
          </div>
        `,
      )}
      ${rows.length < MAX_HEADERS && html`<div><${Button} onClick=${add}>${words.addHeader}<//></div>`}
    </fieldset>
  `;
}

/** Reads the changes of headers from a form; null removes a stored one. */
export function headersOf(
  fields: Record<string, string>,
  stored: readonly string[] = [],
): Record<string, string | null> {
  const given = Object.keys(fields)
    .filter((field) => field.startsWith('header-name-'))
    .map((field) => [fields[field] ?? '', fields[field.replace('name', 'value')] ?? ''] as const);
  const names = given.map(([name]) => name.trim());
  const removed = stored.filter((name) => !names.includes(name)).map((name) => [name, null] as const);
  const set = given
    .map(([name, value]) => [name.trim(), value.trim()] as const)
    .filter(([name, value]) => value !== '' || (name !== '' && !stored.includes(name)));
  return Object.fromEntries([...removed, ...set]);
}
