import { html } from '../../../html.ts';
import { Badge } from '../../../parts/badge.ts';
import { Section } from '../../../parts/section.ts';
import { formatNumber, texts } from '../../../security-texts.ts';
import type { Factors } from './calls.ts';

/** Recovery codes below which new ones are advised. */
const FEW = 4;

const { overview } = texts.security;

/** What protects the account, and what to do next. */
export function Overview({ factors }: { factors: Factors }) {
  const { totp, recovery_codes_left, password, passkeys } = factors;
  const rows = [
    [overview.password, password.set, password.set ? overview.on : overview.off],
    [
      overview.passkeys,
      passkeys.length > 0,
      passkeys.length > 0 ? formatNumber(passkeys.length) : overview.off,
    ],
    [overview.app, totp !== null, totp ? overview.on : overview.off],
    ...(totp
      ? [[overview.codes, recovery_codes_left >= FEW, overview.left(recovery_codes_left)] as const]
      : []),
  ] as const;
  return html`
    <${Section} title=${overview.title}>
      <ul class="protections">
        ${rows.map(
          ([name, isGood, state]) => html`
            <li><span>${name}</span><${Badge} tone=${isGood ? 'good' : 'quiet'}>${state}<//></li>
          `,
        )}
      </ul>
      <p class="hint">${nextStep(factors)}</p>
    <//>
  `;
}

function nextStep({ totp, recovery_codes_left, password, passkeys }: Factors): string {
  if (!password.set && !password.allowed) return overview.atOrganization;
  if (!password.set && passkeys.length === 0) return overview.nextPassword;
  if (totp) return recovery_codes_left < FEW ? overview.nextCodes(recovery_codes_left) : overview.done;
  return password.set ? overview.nextApp : overview.done;
}
