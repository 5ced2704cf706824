import { html } from '../html.ts';

/** A bar that shows how much of something is used. */
export function Meter({
  label,
  used,
  limit,
  text,
  calm = false,
}: {
  label: string;
  used: number;
  limit: number;
  text: string;
  /** Whether a full bar is no reason to worry, as that of a progress. */
  calm?: boolean;
}) {
  const share = Math.min(1, Math.max(0, used / limit));
  return html`
    <div
      class="meter ${share >= 0.9 && !calm ? 'high' : ''}"
      role="meter"
      aria-label=${label}
      aria-valuemin="0"
      aria-valuemax=${limit}
      aria-valuenow=${used}
      aria-valuetext=${text}
    >
      <div style=${{ width: `${share * 100}%` }}></div>
    </div>
  `;
}
