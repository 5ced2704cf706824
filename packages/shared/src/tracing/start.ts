import type { Config, Service } from '../config.ts';

/**
 * Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set, and loads nothing otherwise. Nothing is patched: tracing listens to
 * channels of node:diagnostics_channel, so it needs no loader hook, but must start before the first logger, server or
 * database client is created.
 * @returns what sends the remaining spans and stops.
 */
export async function startTracing(service: Service, config: Config): Promise<() => Promise<void>> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return async () => {};
  const { traceService } = await import('./trace-service.ts');
  return traceService(service, {
    ...config,
    OTEL_EXPORTER_OTLP_ENDPOINT: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
}
