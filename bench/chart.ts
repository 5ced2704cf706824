import { escapeMarkup } from '@gatehouse/shared/escape-markup';

const ROW = 30;
const LABEL = 430;
const BAR = 330;
const MAX_RATIO = 8;

interface Bar {
  label: string;
  ratio: number;
  /** The ratio to reach. */
  goal?: number;
}

/** Draws ratios as bars, each with the reference at 1 and its goal as a mark. The scale is logarithmic. */
export function chart(bars: readonly Bar[]): string {
  const height = 50 + bars.length * ROW;
  const x = (ratio: number) =>
    LABEL + (BAR * Math.log2(1 + Math.min(MAX_RATIO, ratio))) / Math.log2(1 + MAX_RATIO);
  const rows = bars.map(({ label, ratio, goal }, index) => {
    const y = 40 + index * ROW;
    return [
      `<text x="${LABEL - 10}" y="${y + 15}" text-anchor="end">${escapeMarkup(label)}</text>`,
      `<rect class="bar" x="${LABEL}" y="${y + 3}" width="${(x(ratio) - LABEL).toFixed(1)}" height="16" rx="2"/>`,
      goal === undefined
        ? ''
        : `<line class="goal" x1="${x(goal).toFixed(1)}" x2="${x(goal).toFixed(1)}" y1="${y}" y2="${y + 22}"/>`,
      `<text x="${x(ratio) + 6}" y="${y + 15}" class="value">${ratio.toFixed(2)}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LABEL + BAR + 70} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>
  text { fill: #1f2328 } .value { font-variant-numeric: tabular-nums; font-weight: 600 }
  .bar { fill: #2f6fde } .one { stroke: #8b949e; stroke-dasharray: 3 3 } .goal { stroke: #d1242f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #6ea8ff } }
</style>
<text x="${x(1)}" y="20" text-anchor="middle">1 = the reference</text>
<line class="one" x1="${x(1)}" x2="${x(1)}" y1="28" y2="${height - 10}"/>
${rows.join('\n')}
</svg>
`;
}
