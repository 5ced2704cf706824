import { formatDate, texts } from '../../account-texts.ts';
import { patch } from '../../gate.ts';
import { html } from '../../html.ts';
import { Facts } from '../../parts/facts.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { LANGUAGES } from '../../preferences.ts';
import { noteProfileChange, type Profile } from '../../profile.ts';
import { Picture } from './picture.ts';

/** Picture, name, phone number, company and the language of mails, which can be changed, and what cannot. */
export function Personal({ profile, onSaved }: { profile: Profile; onSaved: () => Promise<void> }) {
  const mailLanguage = profile.language ?? 'en';
  const save = async ({ name = '', phone = '', company = '', language }: Record<string, string>) => {
    const fields = { name: name.trim(), phone: phone.trim() || null, company: company.trim() || null };
    await patch('/api/v1/users/me', { ...fields, ...(language !== mailLanguage && { language }) });
    noteProfileChange();
    await onSaved();
  };
  const created = profile['user_created_at(DATE)'];
  return html`
    <${Section} title=${texts.profile.personal}>
      <${Picture} profile=${profile} onSaved=${onSaved} />
      <${Facts}
        facts=${[
          [texts.fields.email, profile.email, true],
          [texts.profile.userId, profile.user_id ?? '–'],
          ...(Number.isNaN(Date.parse(created)) ? [] : [[texts.profile.memberSince, formatDate(created)]]),
        ]}
      />
      <${Form} onSubmit=${save} submit=${texts.profile.save}>
        <div class="fields">
          <${Field}
            name="name"
            label=${texts.fields.name}
            defaultValue=${profile.name}
            autocomplete="name"
            maxlength="200"
          />
          <${Field}
            name="phone"
            type="tel"
            label=${texts.profile.phone}
            hint=${texts.profile.optional}
            defaultValue=${profile.phone ?? ''}
            autocomplete="tel"
            required=${false}
            maxlength="32"
          />
          <${Field}
            name="company"
            label=${texts.profile.company}
            hint=${texts.profile.optional}
            defaultValue=${profile.company ?? ''}
            autocomplete="organization"
            required=${false}
            maxlength="200"
          />
          <${Select}
            name="language"
            label=${texts.profile.mailLanguage}
            options=${LANGUAGES}
            value=${mailLanguage}
          />
        </div>
      <//>
    <//>
  `;
}
