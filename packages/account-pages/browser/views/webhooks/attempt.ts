import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { formatNumber, formatTimestamp, texts } from '../../webhook-texts.ts';
import type { Attempt, Exchange } from './calls.ts';

const words = texts.deliveries;

/** What came of one attempt: when, how long it took, and what the receiver answered. */
export const AttemptView = ({
  attempt: { at, duration_ms, status, error, answer, request_headers },
}: {
  attempt: Attempt & Partial<Exchange>;
}) => {
  const isDelivered = error === null && status !== null && status >= 200 && status < 300;
  return html`
    <div class="attempt">
      <p>
        <${Badge} tone=${isDelivered ? 'good' : 'bad'}>${status === null ? words.noAnswer : `HTTP ${status}`}<//>
        <span>${formatTimestamp(at)}</span>
        <span>${words.duration(formatNumber(duration_ms))}</span>
      </p>
      ${error && html`<p class="error">${error}</p>`}
      ${
        request_headers &&
        html`
          <details>
            <summary>${words.requestHeaders}</summary>
            <pre tabindex="0" aria-label=${words.requestHeaders}>${Object.entries(request_headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}</pre>
          </details>
        `
      }
      ${answer && html`<pre tabindex="0" aria-label=${words.answer}>${answer}</pre>`}
    </div>
  `;
};
