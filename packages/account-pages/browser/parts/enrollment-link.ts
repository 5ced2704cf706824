import type { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';

/** Leads to the second factor that an organization requires, if that is why a call was refused. */
export const EnrollmentLink = ({ error }: { error: ApiError }) =>
  error.code === 'ENROLLMENT_REQUIRED' &&
  html`<div><a class="button primary" href="/profile?part=security" data-page>${texts.factor.setUp}</a></div>`;
