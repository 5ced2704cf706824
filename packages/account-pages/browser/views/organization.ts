import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../organization-texts.ts';
import { getOwnRoles, getRolesIn, type OwnOrganization } from '../own-roles.ts';
import { Button } from '../parts/button.ts';
import { LoadFailure, Loading } from '../parts/load-failure.ts';
import { Notice } from '../parts/notice.ts';
import { PageTitle } from '../parts/page-title.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { Select } from '../parts/select.ts';
import { useData } from '../parts/use-data.ts';
import { hasParameter, navigate, useQuery, withQuery } from '../router.ts';
import { createOrganization } from './organization/calls.ts';
import { NameDialog } from './organization/name-dialog.ts';
import { OrganizationPage } from './organization/organization.ts';
import { standingIn } from './organization/own-standing.ts';
import { ReceivedInvitations } from './organization/received.ts';

const words = texts.organization;
const pathOf = (id: string) => `/organization?organization=${encodeURIComponent(id)}`;

/** The organization that the address names, by default the first of the reader's own. */
export default function OrganizationsView() {
  const query = useQuery();
  const chosen = query.get('organization');
  const department_id = query.get('department');
  const result = useResult();
  const loaded = useData(`roles ${chosen} ${department_id} ${query.get('person')}`, () =>
    chosen === null ? getOwnRoles() : getRolesIn({ organization_id: chosen, department_id }),
  );
  const [isCreating, setCreating] = useState(false);
  const { organizations = [], invitations = [] } = loaded.data ?? {};
  const [first] = organizations;
  const hasJoined = useRef(hasParameter('joined')).current;
  useEffect(() => {
    if (!chosen && first)
      navigate(withQuery({ organization: first.organization_id, joined: undefined }), { replace: true });
  }, [chosen, first]);
  useEffect(() => {
    if (hasJoined && first)
      result.succeed(texts.received.accepted(organizations.map(({ name }) => name).join(', ')));
  }, [first]);

  const create = async (name: string) => {
    const { organization_id } = await createOrganization(name);
    await loaded.reload();
    setCreating(false);
    result.succeed(words.created(name));
    navigate(pathOf(organization_id));
  };
  const join = (organization: string) => navigate(pathOf(organization));
  const received = html`<${ReceivedInvitations} invitations=${invitations} reload=${loaded.reload} result=${result} onAccepted=${join} />`;
  const dialog =
    isCreating &&
    html`<${NameDialog} title=${words.create} submit=${texts.actions.createOrganization} onSubmit=${create} onClose=${() => setCreating(false)} />`;
  if (!loaded.data) {
    return html`
      <${PageTitle}>${texts.titles.organization}<//>
      <${LoadFailure} loaded=${loaded} gone=${words.gone} />
    `;
  }
  if (!first && !chosen) {
    return html`
      <${PageTitle}>${texts.titles.organization}<//>
      ${received}
      <div class="section empty">
        <h2>${words.none}</h2>
        <p>${words.noneHint}</p>
        <${Button} kind="primary" onClick=${() => setCreating(true)}>${words.create}<//>
      </div>
      ${dialog}
      <${ResultToast} result=${result} />
    `;
  }
  if (!chosen) return null;
  const picker = html`
    <div class="picker">
      ${
        organizations.length > 1 &&
        html`
          <${Select}
            name="organization"
            label=${words.pick}
            value=${chosen}
            onChange=${(id: string) => navigate(pathOf(id))}
            options=${organizations.map(({ organization_id, name }: OwnOrganization) => [organization_id, name])}
          />
        `
      }
      <${Button} onClick=${() => setCreating(true)}>${words.create}<//>
    </div>
  `;
  const organization = organizations.find(({ organization_id }) => organization_id === chosen);
  return html`
    ${received}
    ${
      organization
        ? html`<${OrganizationPage} key=${chosen} organization=${organization} own=${standingIn(loaded.data, chosen)} isLoading=${loaded.busy} picker=${picker} onChange=${loaded.reload} result=${result} />`
        : loaded.busy
          ? html`<${PageTitle}>${texts.titles.organization}<//><${Loading} />`
          : html`<${PageTitle} actions=${picker}>${texts.titles.organization}<//><${Notice} kind="info">${words.gone}<//>`
    }
    ${dialog}
    <${ResultToast} result=${result} />
  `;
}
