import { readdirSync, readFileSync } from 'node:fs';
import { loadConfig, type Service, variablesOf } from '@gatehouse/shared/config';
import { describe, expect, it } from 'vitest';
import { type Document, parseAllDocuments } from 'yaml';

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

/** What the files of a folder define. `.ci/kubernetes` holds them against Kubernetes' own schemas. */
function resources(folder: string) {
  const files = readdirSync(new URL(`../../deploy/kubernetes/${folder}/`, import.meta.url));
  return files.flatMap((file) => {
    const text = readFileSync(new URL(`../../deploy/kubernetes/${folder}/${file}`, import.meta.url), 'utf8');
    return (parseAllDocuments(text) as Document[]).map((document) => document.toJS());
  });
}
const base = resources('base');
const overlay = resources('overlays/example');
const find = (kind: string, name: string) =>
  base.find((resource) => resource.kind === kind && resource.metadata.name === name);
const ours: Service[] = ['gateway', 'login', 'user'];

const secrets: Record<string, string> = {
  JWT_SECRET: 'thirty-two bytes or more, for a test only',
  CAPTCHA_SECRET: 'another thirty-two bytes or more, for a test',
  MONGODB_URI: 'mongodb://mongo/gatehouse?replicaSet=rs0',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtps://mail.example.com',
};

describe.each(ours)('%s', (service) => {
  const { replicas, template } = find('Deployment', service).spec;
  const [container] = template.spec.containers;
  const variables: Variable[] = container.env;
  const settings = Object.fromEntries(
    [...base, ...overlay]
      .flatMap(({ configMapGenerator = [] }) => configMapGenerator)
      .flatMap(({ literals }) => literals.map((literal: string) => literal.split('=', 2))),
  );

  it('starts in production with the secrets that it requires', () => {
    const given = variables.flatMap(({ name, value, valueFrom }) => {
      const filled = valueFrom ? secrets[valueFrom.secretKeyRef.key] : value;
      return filled === undefined ? [] : [[name, filled]];
    });
    const env = { NODE_ENV: 'production', ...settings, ...Object.fromEntries(given) };
    expect(loadConfig(service, env).warnings).toEqual([]);
    const required = variables.filter(({ valueFrom }) => valueFrom && !valueFrom.secretKeyRef.optional);
    for (const { name } of required)
      expect(Object.keys(secrets), `${name} is in docs/OPERATIONS.md`).toContain(name);
  });

  it('receives only variables that the service reads, and no secret as text', () => {
    for (const { name, value, valueFrom } of variables) {
      expect(variablesOf(service)).toContain(name);
      if (valueFrom) expect(valueFrom.secretKeyRef).toMatchObject({ name: 'gatehouse', key: name });
      else expect(value).toMatch(/^(http:\/\/(login:8001|user:8002)|uniquelocal)$/);
    }
  });

  it('is probed at the port that it listens on, and its Service leads there', () => {
    const { config } = loadConfig(service, { ...secrets });
    const port = Object.entries(config).find(([name]) => name === `${service.toUpperCase()}_PORT`)?.[1];
    expect(container.ports).toContainEqual({ name: 'http', containerPort: port });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(container.startupProbe.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
    expect(find('Service', service).spec.ports).toEqual([{ name: 'http', port, targetPort: 'http' }]);
  });

  it('has no rights, and a read-only file system', () => {
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      shareProcessNamespace: true,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has time to finish calls in flight after others have learned that it goes', () => {
    const { terminationGracePeriodSeconds } = template.spec;
    expect(terminationGracePeriodSeconds - container.lifecycle.preStop.sleep.seconds).toBeGreaterThan(10);
  });

  it('is scaled, spread and kept available', () => {
    const selector = { matchLabels: { 'app.kubernetes.io/name': service } };
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(replicas).toBeUndefined(); // an apply would undo what the autoscaler has set
    expect(find('HorizontalPodAutoscaler', service).spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: service },
      minReplicas: 2,
    });
    expect(find('PodDisruptionBudget', service).spec).toEqual({ maxUnavailable: 1, selector });
    for (const { labelSelector } of template.spec.topologySpreadConstraints)
      expect(labelSelector).toEqual(selector);
  });
});

it('lets only the gateway reach the login service, and only these two the user service', () => {
  const policies = base.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  const named = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
  const [key, operator] = ['app.kubernetes.io/name', 'In'];
  const both = { matchExpressions: [{ key, operator, values: ['gateway', 'login'] }] };
  expect(policies).toEqual([
    { podSelector: { matchLabels: {} }, policyTypes: ['Ingress'] },
    {
      podSelector: named('login'),
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: named('gateway') }], ports: [{ port: 8001 }] }],
    },
    {
      podSelector: named('user'),
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: both }], ports: [{ port: 8002 }] }],
    },
  ]);
});

it('contains no secret', () => {
  expect([...base, ...overlay].filter(({ kind }) => kind === 'Secret')).toEqual([]);
  expect([...base, ...overlay].filter(({ secretGenerator }) => secretGenerator)).toEqual([]);
});
