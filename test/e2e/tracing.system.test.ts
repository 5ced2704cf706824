import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { bodyOf, startHttp } from '../fixtures/gateway.ts';
import { postForm, postJson, send } from '../fixtures/http.ts';
import { launch } from '../fixtures/launcher.ts';
import { startReceiver } from '../fixtures/receiver.ts';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface Span {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
}

/** The body of an export: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request */
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

/** A collector that keeps the spans which it receives by OTLP over HTTP. */
async function startCollector() {
  const bodies: string[] = [];
  const headers: (string | undefined)[] = [];
  const http = await startHttp(async (request, response) => {
    headers.push(request.headers.authorization);
    bodies.push(await bodyOf(request));
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}');
  });
  const record = (attributes: Attribute[]) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
    );
  return {
    ...http,
    headers,
    text: () => bodies.join('\n'),
    spans: (): Span[] =>
      bodies.flatMap((body) =>
        (JSON.parse(body) as Export).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({
              ...span,
              attributes: record(span.attributes),
              service: String(record(resource.attributes)['service.name']),
            })),
          ),
        ),
      ),
  };
}

/** Prints the address of each module of OpenTelemetry that Node resolves. */
const PRINT_LOADED = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.includes('@opentelemetry/')) console.log('LOADED ' + resolved.url);
      return resolved;
    },
  });
`)}`;

const email = 'grace.hopper@example.com';
const password = 'a password that no span tells';
const env = {
  CAPTCHA_PROVIDER: 'none',
  WEBHOOK_ALLOW_PRIVATE: 'on',
  WEBHOOK_PORTS: '1-65535',
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${PRINT_LOADED}`,
};

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let system: Awaited<ReturnType<typeof launch>>;
  let token: string;
  beforeAll(async () => {
    collector = await startCollector();
    receiver = await startReceiver();
    system = await launch({
      env: {
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-key',
      },
    });
    await system.up;
    const post = async (operation: string, fields: Record<string, string>) => {
      const { status, body } = await postForm(`${system.gateway}/v2/${operation}`, { email, ...fields });
      expect(status, JSON.stringify(body)).toBe(200);
      return body;
    };
    await post('signup', { password, name: 'Grace' });
    const mail = await (await fetch(`${system.mailbox}/api/v1/message/latest`)).text();
    const [, otp = ''] = /code is (\d{6})/.exec(mail) ?? [];
    await post('verify-otp', { otp });
    ({ token } = await post('login', { password, recaptcha_token: 'none' }));
  });
  afterAll(async () => {
    await system.stop();
    await collector.stop();
    await receiver.stop();
  });

  /** The names of a span and of those above it, from the trace that has all of `names`. */
  const chainOf = (...names: string[]) =>
    eventually(() => {
      const spans = collector.spans();
      const [name, above] = names;
      const parentOf = ({ parentSpanId }: Span) => spans.find(({ spanId }) => spanId === parentSpanId);
      const describe = (span: Span): string => `${span.service.replace('gatehouse-', '')}: ${span.name}`;
      for (const span of spans.filter((each) => describe(each) === name)) {
        const chain = [span];
        for (let next = parentOf(span); next; next = parentOf(next)) chain.push(next);
        const isOneTrace = chain.every(({ traceId }) => traceId === span.traceId);
        const described = chain.map(describe);
        if (isOneTrace && !chain.at(-1)?.parentSpanId && described.includes(`${above}`)) return described;
      }
      throw new Error(`no trace with ${names} in:\n${spans.map(describe).join('\n')}`);
    }, 100);

  test('a login is one trace, from the gateway to the commands of the login service', async () => {
    expect(await chainOf('login: update users', 'gateway: POST /v2/login')).toEqual([
      'login: update users',
      'login: POST /v2/login',
      'gateway: POST',
      'gateway: POST /v2/login',
    ]);
  });

  test('the mail of a signup belongs to its trace', async () => {
    expect(await chainOf('user: send mail', 'gateway: POST /v2/signup')).toEqual([
      'user: send mail',
      'user: POST /v2/signup',
      'gateway: POST',
      'gateway: POST /v2/signup',
    ]);
  });

  test('the attempt to deliver an event belongs to its trace, and its receiver does not learn of the trace', async () => {
    const authorization = `Bearer ${token}`;
    const call = async (path: string, body: object) => {
      const answer = await postJson(`${system.gateway}/api/v1/webhooks/${path}`, body, { authorization });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    };
    const url = `${receiver.url}/path-of-the-receiver`;
    const { webhook_id } = await call('configure', { url, events: ['chatbot.created'], secret: password });
    await call(`${webhook_id}/test`, { event: 'chatbot.created' });
    expect(await chainOf('user: deliver webhook', 'gateway: POST /api/v1/webhooks/*')).toEqual([
      'user: deliver webhook',
      'user: POST /api/v1/webhooks/:webhook_id/test',
      'gateway: POST',
      'gateway: POST /api/v1/webhooks/*',
    ]);
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
  });

  test('a client does not choose its trace', async () => {
    const traceId = 'c0ffee'.repeat(5).padEnd(32, '0');
    await fetch(`${system.gateway}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${token}`, traceparent: `00-${traceId}-c0ffeec0ffeec0ff-01` },
    });
    expect(await chainOf('user: GET /api/v1/users/me', 'gateway: GET /api/v1/users/*')).toEqual([
      'user: GET /api/v1/users/me',
      'gateway: GET',
      'gateway: GET /api/v1/users/*',
    ]);
    expect(collector.text()).not.toContain(traceId);
  });

  test('log lines name the trace of their request', async () => {
    const lines =
      system
        .output()
        .match(/.*request completed.*/g)
        ?.filter((line) => line.includes('/v2/login')) ?? [];
    const traces = new Set(
      collector
        .spans()
        .filter(({ name }) => name === 'POST /v2/login')
        .map(({ traceId }) => traceId),
    );
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(
        [...traces].some((id) => line.includes(id)),
        line,
      ).toBe(true);
  });

  test('spans hold no address, password, token or URL, and the collector gets its headers', () => {
    const text = collector.text();
    for (const secret of [email, password, token, 'path-of-the-receiver', '127.0.0.1:', 'hopper'])
      expect(text).not.toContain(secret);
    expect(new Set(collector.headers)).toEqual(new Set(['Bearer collector-key']));
  });

  test('the modules of OpenTelemetry are loaded', () => {
    expect(system.output()).toMatch(/LOADED .*@opentelemetry\/sdk-trace/);
  });

  test('stopping sends the remaining spans', async () => {
    await send(`${system.gateway}/does-not-exist`);
    expect(await system.stop()).toBe(0);
    expect(collector.spans().map(({ attributes }) => attributes['http.response.status_code'])).toContain(401);
  });
});

test('without OTEL_EXPORTER_OTLP_ENDPOINT nothing of OpenTelemetry is loaded but the API, by prom-client', async () => {
  const system = await launch({ env });
  try {
    await system.up;
    await send(`${system.gateway}/health`);
    const loaded = system.output().match(/LOADED .*/g) ?? [];
    expect(loaded.filter((line) => !line.includes('/@opentelemetry/api/'))).toEqual([]);
  } finally {
    await system.stop();
  }
});
