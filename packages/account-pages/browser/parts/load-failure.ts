import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import { EnrollmentLink } from './enrollment-link.ts';
import { Notice } from './notice.ts';
import type { Loaded } from './use-data.ts';

export const Loading = () =>
  html`<div class="skeleton" role="status" aria-label=${texts.table.loading}></div>`;

/** What is shown in place of data that is not there: that it loads, or why it did not. */
export const LoadFailure = ({
  loaded: { error, reload },
  gone,
}: {
  loaded: Loaded<unknown>;
  /** The text for a record that does not exist, or that the reader may not see. */
  gone: string;
}) => {
  if (!error) return html`<${Loading} />`;
  if (error.code === 'ENROLLMENT_REQUIRED')
    return html`<${Notice} kind="info">${error.message}<//><${EnrollmentLink} error=${error} />`;
  if (error.status === 404 || error.status === 403) return html`<${Notice} kind="info">${gone}<//>`;
  return html`
    <${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>
    <div><${Button} onClick=${reload}>${texts.table.retry}<//></div>
  `;
};
