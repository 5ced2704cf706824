import { formatNumber, texts } from '../account-texts.ts';
import { html } from '../html.ts';

export interface Bar {
  label: string;
  value: number;
}

/** The height of the drawing; its width is stretched to the page. */
const HEIGHT = 100;

/** Values over time as bars. A table beneath holds the same numbers. */
export function Chart({
  title,
  summary,
  columns,
  bars,
}: {
  title: string;
  /** What the drawing shows, for those who cannot see it. */
  summary: string;
  /** The headings of the table. */
  columns: readonly [label: string, value: string];
  bars: readonly Bar[];
}) {
  const top = niceMaximum(Math.max(...bars.map(({ value }) => value)));
  const labels = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  return html`
    <figure class="chart">
      <figcaption>${title}</figcaption>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          ${[top, top / 2, 0].map((value) => html`<span>${formatNumber(value)}</span>`)}
        </div>
        <svg role="img" aria-label=${summary} viewBox="0 0 ${bars.length} ${HEIGHT}" preserveAspectRatio="none">
          ${[0, 0.5, 1].map(
            (part) =>
              html`<line x1="0" x2=${bars.length} y1=${part * HEIGHT} y2=${part * HEIGHT} vector-effect="non-scaling-stroke" />`,
          )}
          ${bars.map(({ label, value }, index) => {
            const height = (value / top) * HEIGHT;
            return html`
              <g>
                <rect class="hover" x=${index} y="0" width="1" height=${HEIGHT} />
                <rect class="value" x=${index + 0.15} y=${HEIGHT - height} width="0.7" height=${height} />
                <title>${label}: ${formatNumber(value)}</title>
              </g>
            `;
          })}
        </svg>
        <div class="days" aria-hidden="true">${labels.map((bar) => html`<span>${bar?.label}</span>`)}</div>
      </div>
      <details>
        <summary>${texts.chart.asTable}</summary>
        <div class="numbers" tabindex="0" role="region" aria-label=${title}>
          <table aria-label=${title}>
            <thead>
              <tr>
                <th scope="col">${columns[0]}</th>
                <th scope="col" class="end">${columns[1]}</th>
              </tr>
            </thead>
            <tbody>
              ${bars.map(
                ({ label, value }) => html`
                  <tr key=${label}>
                    <td data-title=${columns[0]}>${label}</td>
                    <td data-title=${columns[1]} class="end">${formatNumber(value)}</td>
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  `;
}

/** Shares of a total: one line for each, with its number. */
export const Shares = ({ title, bars }: { title: string; bars: readonly Bar[] }) => {
  const total = Math.max(
    1,
    bars.reduce((sum, { value }) => sum + value, 0),
  );
  return html`
    <div class="shares">
      <h3>${title}</h3>
      <dl>
        ${bars.map(
          ({ label, value }) => html`
            <div>
              <dt>${label}</dt>
              <dd>
                <svg aria-hidden="true" width="100%" height="8"><rect width="${(value / total) * 100}%" height="8" rx="4" /></svg>
                <span>${formatNumber(value)}</span>
              </dd>
            </div>
          `,
        )}
      </dl>
    </div>
  `;
};

/** The smallest of 2, 4, 10, 20, 40, 100, … that is not below a value, so that its half is a whole number. */
function niceMaximum(value: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [2, 4, 10].find((each) => each * power >= value);
    if (found) return found * power;
  }
}
