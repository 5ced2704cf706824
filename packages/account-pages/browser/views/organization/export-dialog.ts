import type { Permission } from '@gatehouse/shared/access/rbac';
import { ApiError } from '../../gate.ts';
import { html } from '../../html.ts';
import { texts } from '../../organization-texts.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Select } from '../../parts/select.ts';
import { DATA_SETS, EXPORT_FORMATS, type ExportJob } from './calls.ts';

const words = texts.exports;

/** The permission that shows the data elsewhere. */
const NEEDS: Partial<Record<(typeof DATA_SETS)[number], Permission>> = {
  members: 'view users',
  invitations: 'view users',
  chatbots: 'view chatbot',
  billing: 'view billing',
};

/** Asks what to export. */
export const ExportDialog = ({
  may,
  onSubmit,
  onClose,
}: {
  may: (permission: Permission) => boolean;
  onSubmit: (format: ExportJob['format'], data: ExportJob['data']) => Promise<void>;
  onClose: () => void;
}) => {
  const allowed = DATA_SETS.filter((name) => {
    const needed = NEEDS[name];
    return !needed || may(needed);
  });
  const submit = async (fields: Record<string, string>) => {
    const data = allowed.filter((name) => fields[name] === 'on');
    if (data.length === 0) throw new ApiError(words.nothingChosen);
    await onSubmit(fields.format as ExportJob['format'], data);
  };
  return html`
    <${Dialog} title=${words.create} onClose=${onClose}>
      <${Form} submit=${texts.actions.createExport} onSubmit=${submit}>
        <fieldset class="checks">
          <legend>${words.data}</legend>
          ${allowed.map(
            (name) => html`
              <label>
                <input type="checkbox" name=${name} defaultChecked=${allowed.length === 1} />
                <span>${words.dataSets[name]}</span>
              </label>
            `,
          )}
        </fieldset>
        <${Select} name="format" label=${words.format} options=${EXPORT_FORMATS.map((format) => [format, words.formats[format]])} />
      <//>
    <//>
  `;
};
