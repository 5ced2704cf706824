import { html } from '../../html.ts';
import { texts } from '../texts.ts';

/** The page of somebody. */
export const personPage = (id: string): string => `/admin/people?person=${encodeURIComponent(id)}`;

/** The page of an organization. */
export const organizationPage = (id: string): string =>
  `/admin/organizations?organization=${encodeURIComponent(id)}`;

interface Props {
  id: string | null | undefined;
  /** What to show in place of the ID. */
  text?: string | null | undefined;
}

export const PersonLink = ({ id, text }: Props) =>
  id ? html`<a class="id" href=${personPage(id)} data-page>${text ?? id}</a>` : (text ?? texts.none);

export const OrganizationLink = ({ id, text }: Props) =>
  id ? html`<a class="id" href=${organizationPage(id)} data-page>${text ?? id}</a>` : (text ?? texts.none);
