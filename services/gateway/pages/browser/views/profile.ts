import { get, patch } from '../api.ts';
import { html } from '../html.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { Section } from '../parts/section.ts';
import { useData } from '../parts/use-data.ts';
import { texts } from '../texts.ts';

interface Profile {
  email: string;
  name: string;
  phone: string | null;
  company: string | null;
}

export default function ProfilePage() {
  const { data, error, reload } = useData('me', () => get<Profile>('/api/v1/users/me'));
  if (error) return html`<${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>`;
  if (!data) return html`<div class="skeleton" role="status" aria-label=${texts.table.loading}></div>`;
  const save = async ({ name = '', phone = '', company = '' }: Record<string, string>) => {
    await patch('/api/v1/users/me', { name, phone: phone || null, company: company || null });
    await reload();
  };
  return html`
    <h1>${texts.titles.profile}</h1>
    <${Section} title=${data.email}>
      <${Form} onSubmit=${save} submit="Save">
        <${Field} name="name" label=${texts.fields.name} value=${data.name} autocomplete="name" />
      <//>
    <//>
  `;
}
