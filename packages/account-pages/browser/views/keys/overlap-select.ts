import { html } from '../../html.ts';
import { texts } from '../../key-texts.ts';
import { Select } from '../../parts/select.ts';

const words = texts.keys;

/** Days that the API accepts. */
const DAYS = [0, 1, 2, 3, 7];

/** How long the former secret works after a rotation. */
export const OverlapSelect = () => html`
  <${Select}
    name="overlap_days"
    label=${words.overlapLabel}
    value="1"
    options=${DAYS.map((days) => [String(days), words.overlaps(days)])}
  />
`;
