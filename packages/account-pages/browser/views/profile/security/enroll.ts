import { html } from '../../../html.ts';
import { CodeField } from '../../../parts/code-field.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Form } from '../../../parts/form.ts';
import { Secret } from '../../../parts/secret.ts';
import { texts } from '../../../security-texts.ts';
import { confirmTotp, type Enrollment } from './calls.ts';

const { app } = texts.security;

/** Sets up an authenticator app: the QR code, the key to type by hand, and the first code. */
export function EnrollDialog({
  enrollment: { enrollment_id, secret, qr },
  onEnrolled,
  onClose,
}: {
  enrollment: Enrollment;
  onEnrolled: (recovery_codes: string[]) => Promise<void>;
  onClose: () => void;
}) {
  const submit = async ({ code = '' }: Record<string, string>) =>
    onEnrolled((await confirmTotp(enrollment_id, code)).recovery_codes);
  return html`
    <${Dialog} title=${app.setUp} onClose=${onClose}>
      <p>${app.scan}</p>
      <${QrCode} svg=${qr} />
      <details>
        <summary>${app.byHand}</summary>
        <${Secret} label=${app.key} value=${secret.replace(/.{4}(?=.)/g, '$& ')} />
      </details>
      <p>${app.enterCode}</p>
      <${Form} submit=${app.confirm} onSubmit=${submit}>
        <${CodeField} name="code" />
      <//>
    <//>
  `;
}

/** Draws the path of an SVG, and nothing else that it may hold. */
function QrCode({ svg }: { svg: string }) {
  const image = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  return html`
    <svg class="qr" role="img" aria-label=${app.qr} viewBox=${image.getAttribute('viewBox')} shape-rendering="crispEdges">
      <path d=${image.querySelector('path')?.getAttribute('d')} />
    </svg>
  `;
}
