import { hasPasskeys } from '../../config.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { rememberEmail, rememberedEmail } from '../../remembered-email.ts';
import { discover, type SsoConnection } from '../../sign-in-calls.ts';
import { texts } from '../../visitor-texts.ts';

/** The address with which a sign-in begins, and the provider of its domain if that has one. */
export interface Address {
  email: string;
  connection?: SsoConnection | undefined;
}

/** The field for the address. It keeps what is typed for the other ways, and offers the passkeys of this device. */
export const AddressField = ({ autofocus }: { autofocus: boolean }) => html`
  <${Field}
    name="email"
    type="email"
    label=${texts.fields.email}
    value=${rememberedEmail()}
    autocomplete=${hasPasskeys() ? 'username webauthn' : 'username'}
    autofocus=${autofocus}
    onInput=${(event: Event) => rememberEmail((event.currentTarget as HTMLInputElement).value)}
  />
`;

/** The first of two steps: the address alone. */
export function AddressForm({ onGiven }: { onGiven: (address: Address) => void }) {
  const submit = async ({ email: given = '' }: Record<string, string>) => {
    const email = given.trim();
    rememberEmail(email);
    // Without a provider, or if the call fails, the page asks for the password.
    onGiven({ email, connection: await discover(email).catch(() => undefined) });
  };
  return html`
    <${Form} onSubmit=${submit} submit=${texts.signIn.next}><${AddressField} autofocus /><//>
  `;
}
