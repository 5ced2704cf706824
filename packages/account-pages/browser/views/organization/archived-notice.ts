import { html } from '../../html.ts';
import { formatDateTime, texts } from '../../organization-texts.ts';
import type { Archivable } from '../../own-roles.ts';
import { ActionButton } from '../../parts/action-button.ts';
import type { Result } from '../../parts/result.ts';

const words = texts.archive;

/** Says that a place is archived and when it is gone for good, and offers Owners to bring it back. */
export const ArchivedNotice = ({
  place: { deletes_at },
  text,
  restore,
  result,
}: {
  place: Archivable;
  text: (at: string) => string;
  /** Absent for those who may not. */
  restore?: (() => Promise<string>) | undefined;
  result: Result;
}) => html`
  <div class="notice archived" role="status">
    <p>${text(deletes_at ? formatDateTime(deletes_at) : '')}</p>
    ${restore && html`<${ActionButton} run=${restore} result=${result}>${words.restore}<//>`}
  </div>
`;
