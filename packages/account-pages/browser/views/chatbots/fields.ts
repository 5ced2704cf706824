import { locale, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { Select } from '../../parts/select.ts';
import { type ChatbotFields, TYPES } from './calls.ts';

const words = texts.chatbots;

export const typeOptions = TYPES.map((type) => [type, words.types[type]] as const);

/** The fields of a chatbot that its editors set. */
export const ChatbotInputs = ({ chatbot }: { chatbot?: ChatbotFields }) => html`
  <${Field} name="name" label=${texts.fields.name} maxlength="200" autocomplete="off" defaultValue=${chatbot?.name} autofocus=${!chatbot} />
  <div class="pair">
    <${Select} name="type" label=${words.type} options=${typeOptions} value=${chatbot?.type ?? 'text'} />
    <${Field} name="language" label=${words.language} hint=${words.languageHint} maxlength="35" autocomplete="off" spellcheck=${false} defaultValue=${chatbot?.language ?? locale} />
  </div>
  <${Field} name="avatar_id" label=${words.avatar} hint=${words.avatarHint} maxlength="200" autocomplete="off" spellcheck=${false} defaultValue=${chatbot?.avatar_id ?? 'avatar-1'} />
`;

/** Reads the fields from a form. */
export const chatbotFields = ({
  name = '',
  type = '',
  language = '',
  avatar_id = '',
}: Record<string, string>): ChatbotFields => ({
  name: name.trim(),
  type: type as ChatbotFields['type'],
  language: language.trim(),
  avatar_id: avatar_id.trim(),
});
