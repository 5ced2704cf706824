import { useState } from 'preact/hooks';
import { signOut } from '../account.ts';
import { texts } from '../account-texts.ts';
import { language } from '../config.ts';
import { html } from '../html.ts';
import { getOwnRoles, type OwnOrganization } from '../own-roles.ts';
import { chooseLanguage, chooseTheme, chosenTheme, LANGUAGES, THEMES, type Theme } from '../preferences.ts';
import type { Person } from '../profile.ts';
import { useQuery } from '../router.ts';
import { Avatar } from './avatar.ts';
import { Button } from './button.ts';
import { Select } from './select.ts';
import { useData } from './use-data.ts';

const words = texts.menu;

/** The organizations that the menu lists; the page of organizations has all. */
const LISTED = 8;

/** What is behind the name of whoever is signed in. */
export default ({ person }: { person: Person | undefined }) => html`
  ${
    person &&
    html`
      <div class="panel-person">
        <${Avatar} person=${person} />
        <p class="person"><strong>${person.name || person.email}</strong>${person.name && html`<small>${person.email}</small>`}</p>
      </div>
    `
  }
  <ul class="panel-links">
    <li><a href="/profile" data-page>${texts.titles.profile}</a></li>
    <li><a href="/profile?part=security" data-page>${texts.profile.parts.security}</a></li>
    <li><a href="/profile?part=devices" data-page>${texts.profile.parts.devices}</a></li>
  </ul>
  <${Organizations} />
  <${ThemeChoice} />
  <${Select} name="language" label=${words.language} value=${language} options=${LANGUAGES} onChange=${chooseLanguage} />
  <${Button} onClick=${signOut}>${texts.navigation.signOut}<//>
`;

/** Leads to an organization of the reader's own. */
function Organizations() {
  const { data } = useData('roles', getOwnRoles);
  const current = useQuery().get('organization');
  const organizations = data?.organizations ?? [];
  if (organizations.length === 0) return null;
  return html`
    <div>
      <h2 class="panel-title">${words.organizations}</h2>
      <ul class="panel-links">
        ${organizations.slice(0, LISTED).map(
          ({ organization_id, name }: OwnOrganization) => html`
            <li key=${organization_id}>
              <a
                href=${`/organization?organization=${encodeURIComponent(organization_id)}`}
                data-page
                aria-current=${organization_id === current ? 'true' : undefined}
              >${name}</a>
            </li>
          `,
        )}
        ${organizations.length > LISTED && html`<li><a href="/organization" data-page>${words.allOrganizations}</a></li>`}
      </ul>
    </div>
  `;
}

function ThemeChoice() {
  const [chosen, setChosen] = useState(chosenTheme());
  const choose = (theme: Theme | undefined) => {
    chooseTheme(theme);
    setChosen(theme);
  };
  return html`
    <fieldset class="segments">
      <legend>${words.theme}</legend>
      <div>
        ${[undefined, ...THEMES].map(
          (theme) => html`
            <label key=${theme}>
              <input type="radio" name="theme" checked=${theme === chosen} onChange=${() => choose(theme)} />
              <span>${words.themes[theme ?? 'device']}</span>
            </label>
          `,
        )}
      </div>
    </fieldset>
  `;
}
