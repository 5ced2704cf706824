import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, type Span, SpanStatusCode, trace } from '@opentelemetry/api';

/** The context of the span that the current code belongs to. */
export const current = new AsyncLocalStorage<Context>();

/** The parent of a span that begins now. */
export const parent = (): Context => current.getStore() ?? ROOT_CONTEXT;

/** What each log line says of its span. */
export function logFields(): object {
  const span = trace.getSpanContext(parent());
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Ends a span that failed. A message may hold an address or a secret, so only the kind of the error is recorded. */
export function endFailed(span: Span, error: unknown): void {
  const { name = 'Error', code } = (error ?? {}) as { name?: string; code?: unknown };
  span.setAttribute('error.type', code === undefined ? name : String(code));
  span.setStatus({ code: SpanStatusCode.ERROR }).end();
}
