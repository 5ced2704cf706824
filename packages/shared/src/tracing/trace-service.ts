import { DiagLogLevel, diag, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { LoggerOptions } from 'pino';
import type { Config, Service } from '../config.ts';
import { UPSTREAM_SETTINGS } from '../contract/prefixes.ts';
import { createLogger } from '../http/logger.ts';
import { withTimeout } from '../with-timeout.ts';
import { traceCalls } from './calls.ts';
import { channels } from './channels.ts';
import { traceCommands } from './commands.ts';
import { logFields } from './current.ts';
import { traceRequests } from './requests.ts';
import { traceMails, traceWebhooks } from './work.ts';

/** Milliseconds for one export, and for sending the remaining spans when a service stops. */
const EXPORT_TIMEOUT = 5_000;
const STOP_TIMEOUT = 2_000;

type TracingConfig = Config & { OTEL_EXPORTER_OTLP_ENDPOINT: string };

/** Records spans of everything that a service does for a request, a mail or a webhook, and exports them by OTLP. */
export function traceService(service: Service, config: TracingConfig): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: EXPORT_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `gatehouse-${service}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer: Tracer = provider.getTracer('gatehouse');

  channels.logger.subscribe((options) => Object.assign(options as LoggerOptions, { mixin: logFields }));
  traceRequests(tracer);
  traceCalls(tracer, internalOrigins(config));
  traceCommands(tracer);
  traceMails(tracer);
  traceWebhooks(tracer);
  reportFailures(createLogger(service, config.LOG_LEVEL));
  return async () => {
    const late = () => new Error('the collector is slow');
    await withTimeout(provider.shutdown(), STOP_TIMEOUT, late).catch(() => {}); // the spans are lost
  };
}

/** The services that continue a trace. Nobody else receives its id. */
function internalOrigins(config: Config): ReadonlySet<string> {
  const settings: Record<string, unknown> = config;
  const urls = ['LOGIN_SERVICE_URL', 'USER_SERVICE_URL', ...UPSTREAM_SETTINGS].map((name) => settings[name]);
  return new Set(urls.flatMap((url) => (typeof url === 'string' ? new URL(url).origin : [])));
}

/** Logs what the SDK reports, such as a collector that does not answer. */
function reportFailures(log: ReturnType<typeof createLogger>): void {
  const warn = (reason: string) => log.warn({ reason }, 'traces are not exported');
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );
}
