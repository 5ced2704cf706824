import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { Confirm } from '../../../parts/confirm.ts';
import { Notice } from '../../../parts/notice.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { formatDate, texts } from '../../../security-texts.ts';
import {
  beginTotp,
  disableTotp,
  type Enrollment,
  endOtherSessions,
  type Factors,
  replaceRecoveryCodes,
} from './calls.ts';
import { EnrollDialog } from './enroll.ts';
import { RecoveryCodes } from './recovery-codes.ts';

const { app } = texts.security;

/** The authenticator app and its recovery codes. */
export function AuthenticatorSection({
  factors: { totp, recovery_codes_left, reset_at },
  onChanged,
  result,
}: {
  factors: Factors;
  onChanged: () => Promise<void>;
  result: Result;
}) {
  const [enrollment, setEnrollment] = useState<Enrollment>();
  const [asked, setAsked] = useState<'disable' | 'replace'>();
  const [codes, setCodes] = useState<string[]>();
  const [isOffering, setOffering] = useState(false);
  const begin = () => beginTotp().then(setEnrollment, result.fail);
  const shown = async (recovery_codes: string[]) => {
    setEnrollment(undefined);
    setCodes(recovery_codes);
    await onChanged();
  };
  const confirm = async () => {
    if (asked === 'replace') return shown((await replaceRecoveryCodes()).recovery_codes);
    await disableTotp();
    await onChanged();
    result.succeed(app.removed);
    setOffering(true);
  };
  const endOthers = async () => {
    await endOtherSessions();
    result.succeed(texts.sessions.othersEnded);
  };
  return html`
    <${Section}
      title=${app.title}
      actions=${
        totp
          ? html`
            <${Button} onClick=${() => setAsked('replace')}>${app.newCodes}<//>
            <${Button} onClick=${() => setAsked('disable')}>${app.remove}<//>
          `
          : html`<${Button} kind="primary" onClick=${begin}>${app.setUp}<//>`
      }
    >
      <p class="hint">
        ${totp ? app.since(formatDate(totp.enrolled_at), recovery_codes_left) : app.hint}
      </p>
      ${reset_at && html`<${Notice} kind="error">${app.resetAt(formatDate(reset_at))}<//>`}
      ${
        enrollment &&
        html`<${EnrollDialog} enrollment=${enrollment} onEnrolled=${shown} onClose=${() => setEnrollment(undefined)} />`
      }
      ${
        isOffering &&
        html`
          <${Confirm}
            title=${texts.sessions.endOthersQuestion}
            action=${texts.sessions.endOthersAction}
            onConfirm=${endOthers}
            onClose=${() => setOffering(false)}
          >
            ${texts.sessions.endOthersExplanation}
          <//>
        `
      }
      ${codes && html`<${RecoveryCodes} codes=${codes} result=${result} onClose=${() => setCodes(undefined)} />`}
      ${
        asked &&
        html`
          <${Confirm}
            title=${asked === 'replace' ? app.replaceQuestion : app.removeQuestion}
            action=${asked === 'replace' ? app.newCodes : app.remove}
            onConfirm=${confirm}
            onClose=${() => setAsked(undefined)}
          >
            ${asked === 'replace' ? app.replaceExplanation : app.removeExplanation}
          <//>
        `
      }
    <//>
  `;
}
