import type { ComponentChildren } from 'preact';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Address } from './address.ts';

/** Somebody in a list, with the name and address that the reader may see. */
export interface PersonRecord {
  user_id: string;
  name: string | null;
  /** Access lists lack it. */
  email?: string | null;
}

/** Names somebody in a sentence: two people may have the same name. */
export const personText = ({ name, email, user_id }: PersonRecord): string =>
  name ? `${name} (${email ?? user_id})` : (email ?? user_id);

/** Somebody by name, and beneath it the address or ID. */
export const Person = ({
  person: { name, email, user_id },
  isSelf = false,
  href,
  children,
}: {
  person: PersonRecord;
  isSelf?: boolean;
  /** The page of the person, if there is one. */
  href?: string;
  children?: ComponentChildren;
}) => {
  const address = email && html`<${Address} email=${email} />`;
  const first = name || address || user_id;
  const second = name ? (address ?? user_id) : address && user_id;
  return html`
    <div class="person">
      <span>${href ? html`<a class="name" href=${href} data-page>${first}</a>` : first}${isSelf && html` <small>${texts.lists.you}</small>`}</span>
      ${second && html`<small>${second}</small>`}
      ${children}
    </div>
  `;
};
