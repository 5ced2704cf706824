import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { PREFIXES } from '@gatehouse/shared/contract/prefixes';
import { newKeyPair } from '@gatehouse/shared/identity/audit-chain/anchors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startGateway } from '../fixtures/gateway.ts';
import { postForm } from '../fixtures/http.ts';
import { startServices } from '../fixtures/services.ts';

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  annotations?: { runbook: string };
}

interface Panel {
  id: number;
  title: string;
  targets: { expr: string }[];
}

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const { groups } = parse(read('deploy/prometheus/rules.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const recorded = rules.flatMap(({ record = [] }) => record);
const dashboards = readdirSync(new URL('deploy/grafana', root)).map(
  (file) => JSON.parse(read(`deploy/grafana/${file}`)) as { title: string; panels: Panel[] },
);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
];

/** The names of metrics in an expression: each is written with its braces. */
const namesIn = (expr: string) => [...expr.matchAll(/([a-zA-Z_:][\w:]*)\{/g)].map(([, name = '']) => name);

/** The section of OPERATIONS.md that lists the metrics. */
const [, section = ''] = /\n## Metrics\n(.*?)\n## /s.exec(read('docs/OPERATIONS.md')) ?? [];
const documented = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, name = '']) => name);

// Other systems do not count descriptors.
describe.runIf(process.platform === 'linux')('the metrics of the services', () => {
  let services: Awaited<ReturnType<typeof startServices>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let exposed: string[];
  beforeAll(async () => {
    // With every setting that brings metrics of its own.
    services = await startServices({
      env: {
        AUDIT_SIGNING_KEY: newKeyPair().signing_key,
        AUDIT_STREAM_OTLP_URL: 'http://127.0.0.1:1/v1/logs',
      },
    });
    gateway = await startGateway({ database: services.db, clock: services.clock });
    // So many that the audit no longer stores them, which it counts.
    for (let count = 0; count < 101; count += 1) {
      const { status } = await postForm(`${services.login}/v2/login`, {
        email: 'nobody@example.com',
        password: 'wrong',
        recaptcha_token: 'x',
      });
      expect(status).toBe(404);
    }
    const texts = await Promise.all([
      gateway.app.metrics.metrics(),
      ...[services.login, services.user].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    ]);
    exposed = [...texts.join('\n').matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  });
  afterAll(async () => {
    await gateway.stop();
    await services.stop();
  });

  it('are the documented ones', () => {
    expect([...new Set(exposed)].toSorted()).toEqual(documented.toSorted());
  });

  it('include every metric that a rule or a dashboard names', () => {
    const parts = exposed.flatMap((name) => [name, `${name}_count`, `${name}_sum`, `${name}_bucket`]);
    const known = new Set([...parts, ...recorded, 'up']);
    const named = expressions.flatMap(namesIn);
    expect(named.length).toBeGreaterThan(expressions.length);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

it('every expression names a metric', () => {
  expect(expressions.filter((expr) => namesIn(expr).length === 0)).toEqual([]);
});

it('the objective of availability leaves out what the platform serves, and nothing else', () => {
  const patterns = new Set(expressions.flatMap((expr) => /route!~"([^"]+)"/.exec(expr)?.[1] ?? []));
  expect(patterns.size).toBe(1);
  const [pattern] = patterns;
  const isLeftOut = (route: string) => new RegExp(`^(?:${pattern})$`).test(route);
  for (const [prefix, servedBy] of Object.entries(PREFIXES)) {
    for (const route of [prefix, `${prefix}/*`])
      expect([route, isLeftOut(route)]).toEqual([route, servedBy.startsWith('UPSTREAM_')]);
  }
});

describe('the alerts', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);

  it('are explained in OPERATIONS.md', () => {
    for (const { alert } of alerts) expect(section).toContain(`\`${alert}\``);
  });

  it('lead to a section of OPERATIONS.md', () => {
    const sections = [...read('docs/OPERATIONS.md').matchAll(/^## (.+)$/gm)].map(
      ([, title = '']) => `docs/OPERATIONS.md#${title.toLowerCase().replaceAll(' ', '-')}`,
    );
    for (const { annotations } of alerts) expect(sections).toContain(annotations?.runbook);
  });
});

describe.each(dashboards)('the dashboard $title', ({ panels }) => {
  it('has panels with ids of their own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe.runIf(hasPromtool)('promtool', () => {
  it.each([
    ['check', 'rules', 'rules.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'rules.test.yml'],
  ])('%s %s %s', (...args) => {
    const cwd = new URL('deploy/prometheus', root);
    expect(execFileSync('promtool', args, { cwd, encoding: 'utf8' })).toContain('SUCCESS');
  });
});
