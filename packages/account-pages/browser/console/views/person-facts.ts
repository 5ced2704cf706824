import { formatDate, formatDateTime } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Facts } from '../../parts/facts.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { Loaded } from '../../parts/use-data.ts';
import { formatNumber } from '../../texts.ts';
import type { PersonDetail } from '../calls.ts';
import { OrganizationLink } from '../parts/links.ts';
import { texts } from '../texts.ts';

const words = texts.people;

/** Who somebody is, how they log in, and where they have a role. */
export const PersonFacts = ({ person }: { person: PersonDetail }) => html`
  <${Section} title=${words.facts}><${Facts} facts=${factsOf(person)} /><//>
`;

function factsOf(person: PersonDetail) {
  const { person_id, email, created_at, last_login_at, language, plan, password, factor, deletion } = person;
  const { passkey_count, links, identities, organizations, email_change, imported_from } = person;
  const given = (value: string | null) => value ?? texts.none;
  return [
    ['ID', html`<span class="id">${person_id}</span>`, true],
    ['E-mail', email],
    [words.created, formatDate(created_at)],
    [words.lastLogin, last_login_at ? formatDateTime(last_login_at) : words.never],
    [words.plan, given(plan)],
    [words.language, given(language)],
    [words.password, words.passwords[password]],
    [words.factor, factor ? factorText(factor) : texts.none],
    [words.passkeys, formatNumber(passkey_count)],
    [
      words.links,
      links.map(({ provider, email }) => [provider, email].filter(Boolean).join(' ')).join(', ') ||
        texts.none,
    ],
    [words.identities, identities.map(({ email }) => email).join(', ') || texts.none],
    ...(person.operator ? [[words.operator, texts.levels[person.operator]]] : []),
    ...(email_change ? [[words.emailChange, email_change.email]] : []),
    ...(deletion
      ? [
          [
            words.deletion,
            deletion.begun ? words.deletionBegun : words.deletionOn(formatDateTime(deletion.due_at)),
          ],
        ]
      : []),
    ...(imported_from ? [[words.importedFrom, imported_from]] : []),
    [
      words.roles,
      organizations.length === 0 ? words.noRoles : html`<${Roles} organizations=${organizations} />`,
      true,
    ],
  ];
}

const factorText = ({ enrolled_at, recovery_codes, reset_at }: NonNullable<PersonDetail['factor']>): string =>
  [
    words.factorSince(formatDate(enrolled_at), formatNumber(recovery_codes)),
    reset_at && words.resetAt(formatDateTime(reset_at)),
  ]
    .filter(Boolean)
    .join('. ');

const Roles = ({ organizations }: Pick<PersonDetail, 'organizations'>) => html`
  <ul class="plain-list">
    ${organizations.map(
      ({ organization_id, name, role, departments }) => html`
        <li key=${organization_id}>
          <${OrganizationLink} id=${organization_id} text=${name} />: ${[role, ...departments.map((each) => `${each.role} (${each.name})`)].filter(Boolean).join(', ')}
        </li>
      `,
    )}
  </ul>
`;

type Session = PersonDetail['sessions'][number];

const COLUMNS: Column<Session>[] = [
  {
    title: words.device,
    cell: ({ name, device: { browser, os } }) =>
      name ?? ([browser, os].filter(Boolean).join(', ') || words.noDevice),
  },
  { title: texts.audit.from, cell: ({ address }) => address },
  { title: words.lastUsed, cell: ({ last_used_at }) => html`<${Time} at=${last_used_at} ago />` },
];

/** Where somebody is signed in. */
export const Sessions = ({ loaded }: { loaded: Loaded<PersonDetail> }) => html`
  <${Section} title=${words.sessions}>
    <${Table}
      label=${words.sessions}
      loaded=${{ ...loaded, data: { data: loaded.data?.sessions ?? [] } }}
      columns=${COLUMNS}
      keyOf=${({ session_id }: Session) => session_id}
      empty=${html`<p>${words.noSessions}</p>`}
    />
  <//>
`;
