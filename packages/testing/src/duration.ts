/** Milliseconds. */
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns milliseconds. @param duration such as `61s`, `31m` or `1h 30m`, or milliseconds. */
export function milliseconds(duration: string | number): number {
  if (typeof duration === 'number' && Number.isFinite(duration)) return duration;
  const text = String(duration).trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd])\s*)+$/.test(text))
    throw new Error(
      `${JSON.stringify(duration)} is no duration: write numbers with ms, s, m, h or d, such as 61s or 1h 30m`,
    );
  return [...text.matchAll(/([\d.]+)(ms|[smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS],
    0,
  );
}
