import { escapeMarkup } from '@gatehouse/shared/escape-markup';

const ROW = 26;
const LABEL = 500;
/** Half of the scale, which is logarithmic and ends at `MAX_RATIO` and its inverse. */
const HALF = 150;
const MAX_RATIO = 16;
const WIDTH = LABEL + 2 * HALF + 80;

/** A rate of ours over that of a reference. */
interface Bar {
  of: string;
  over: string;
  ratio: number;
  /** The ratio to reach. */
  goal?: number | undefined;
}

const x = (ratio: number): number => {
  const part = Math.log2(ratio) / Math.log2(MAX_RATIO);
  return Math.round(LABEL + HALF * (1 + Math.max(-1, Math.min(1, part))));
};

/**
 * Draws rates as bars that begin at the reference: to the right when ours is higher, with the goal as a mark.
 * @param groups the bars by heading; those without one are left out.
 */
export function chart(groups: ReadonlyMap<string | undefined, readonly Bar[]>): string {
  let y = 48;
  const rows = [...groups].flatMap(([heading, bars]) => {
    if (heading === undefined) return [];
    const title = `<text x="10" y="${y + 16}" class="heading">${escapeMarkup(heading)}</text>`;
    y += ROW;
    const lines = bars.map((bar) => {
      const line = row(bar, y);
      y += ROW;
      return line;
    });
    y += 10;
    return [title, ...lines];
  });
  const one = x(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>Benchmarks: rates of Gatehouse over those of a reference</title>
<style>
  text { fill: #1f2328 } .over, .axis { fill: #59636e } .heading { font-weight: 600; font-size: 14px }
  .value { font-variant-numeric: tabular-nums; font-weight: 600 }
  .faster { fill: #2f6fde } .slower { fill: #9aa4af } .one { stroke: #59636e } .goal { stroke: #d1242f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .over, .axis { fill: #9198a1 } .faster { fill: #6ea8ff } .slower { fill: #6e7681 }
  }
</style>
<text x="${one - 12}" y="30" text-anchor="end" class="axis">slower</text>
<text x="${one}" y="30" text-anchor="middle" class="axis">1</text>
<text x="${one + 12}" y="30" class="axis">faster</text>
<line class="goal" x1="${LABEL + 2 * HALF - 52}" x2="${LABEL + 2 * HALF - 52}" y1="18" y2="34"/>
<text x="${LABEL + 2 * HALF - 44}" y="30" class="axis">goal</text>
<line class="one" x1="${one}" x2="${one}" y1="38" y2="${y - 10}"/>
${rows.join('\n')}
</svg>
`;
}

function row({ of, over, ratio, goal }: Bar, y: number): string {
  const [from, to] = [x(1), x(ratio)];
  const mark =
    goal === undefined
      ? ''
      : `<line class="goal" x1="${x(goal)}" x2="${x(goal)}" y1="${y + 1}" y2="${y + 21}"/>`;
  return [
    `<text x="${LABEL - 10}" y="${y + 15}" text-anchor="end">${escapeMarkup(of)}`,
    ` <tspan class="over">/ ${escapeMarkup(over)}</tspan></text>`,
    `<rect class="${to < from ? 'slower' : 'faster'}" x="${Math.min(from, to)}" width="${Math.abs(to - from)}"`,
    ` y="${y + 4}" height="14"/>${mark}`,
    `<text x="${WIDTH - 10}" y="${y + 15}" text-anchor="end" class="value">${ratio.toFixed(2)}</text>`,
  ].join('');
}
