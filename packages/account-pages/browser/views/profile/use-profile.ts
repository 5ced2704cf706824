import type { ComponentChildren } from 'preact';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Notice } from '../../parts/notice.ts';
import { type Loaded, useData } from '../../parts/use-data.ts';
import { getProfile, type Profile } from '../../profile.ts';

export const useProfile = (): Loaded<Profile> => useData('me', getProfile);

/** What is shown of data once it is there; until then its place, or why it could not be loaded. */
export function Loading<T>({
  loaded: { data, error, reload },
  children,
}: {
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  if (data) return children(data);
  if (error)
    return html`
      <${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>
      <div><${Button} onClick=${reload}>${texts.table.retry}<//></div>
    `;
  return html`
    <div class="skeleton tall" role="status" aria-label=${texts.table.loading}></div>
    <div class="skeleton" aria-hidden="true"></div>
  `;
}
