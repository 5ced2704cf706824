import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import type { OwnOrganization } from '../../own-roles.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { archiveOrganization, removePerson } from './calls.ts';
import type { OwnStanding } from './own-standing.ts';
import { SecondFactorPolicy } from './second-factor.ts';

const words = texts.archive;
/** Days between archiving and deletion. */
export const ARCHIVED_DAYS = 30;
export const deletionDate = () => formatDate(new Date(Date.now() + ARCHIVED_DAYS * 86_400_000).toISOString());

/** What an Owner requires of the members, and the ways out of an organization: leaving it, and closing it. */
export default function Settings({
  organization,
  own,
  result,
  onChange,
  onLeave,
}: {
  organization: OwnOrganization;
  own: OwnStanding;
  result: Result;
  onChange: () => Promise<void>;
  /** Shows another page after the reader has left. */
  onLeave: () => Promise<void>;
}) {
  const [asking, setAsking] = useState<'leave' | 'close'>();
  const { organization_id, name } = organization;
  const leave = async () => {
    await removePerson(organization_id, own.id);
    result.succeed(words.left(name));
    await onLeave();
  };
  const close = async () => {
    await changeAndReload(onChange, () => archiveOrganization(organization_id));
    result.succeed(words.closed(name));
  };
  return html`
    ${
      own.isOwner &&
      !organization.archived_at &&
      html`<${SecondFactorPolicy} organization_id=${organization_id} result=${result} />`
    }
    <${Section} title=${words.leaveTitle} actions=${html`<${Button} onClick=${() => setAsking('leave')}>${words.leave}<//>`}>
      <p class="muted">${own.isOwner ? words.leaveOwnerHint : words.leaveHint}</p>
    <//>
    ${
      own.isOwner &&
      !organization.archived_at &&
      html`
        <${Section} title=${words.closeTitle} actions=${html`<${Button} onClick=${() => setAsking('close')}>${words.close}<//>`}>
          <p class="muted">${words.closeHint}</p>
        <//>
      `
    }
    ${
      asking === 'leave' &&
      html`
        <${Confirm} title=${words.leaveQuestion(name)} action=${texts.actions.leaveOrganization} onConfirm=${leave} onClose=${() => setAsking(undefined)}>
          ${words.leaveWarning}
        <//>
      `
    }
    ${
      asking === 'close' &&
      html`
        <${Confirm} title=${words.closeQuestion(name)} action=${texts.actions.closeOrganization} name=${name} onConfirm=${close} onClose=${() => setAsking(undefined)}>
          ${words.closeWarning(deletionDate())}
        <//>
      `
    }
  `;
}
