import { subscribe } from 'node:diagnostics_channel';
import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { DiagnosticsChannel } from 'undici';
import { current, endFailed, parent } from './current.ts';

const propagator = new W3CTraceContextPropagator();

/**
 * Records a span for each HTTP call that is made within another span. Only calls to `internal` origins name the host and
 * carry the trace: the URL of anybody else may hold a secret.
 */
export function traceCalls(tracer: Tracer, internal: ReadonlySet<string>): void {
  const spans = new WeakMap<DiagnosticsChannel.Request, Span>();
  const ending = (message: object) => {
    const { request } = message as { request: DiagnosticsChannel.Request };
    const span = spans.get(request);
    spans.delete(request);
    return span;
  };
  subscribe('undici:request:create', (message) => {
    const { request } = message as DiagnosticsChannel.RequestCreateMessage;
    if (!current.getStore()) return;
    const origin = new URL(String(request.origin));
    const isInternal = internal.has(origin.origin);
    const method = request.method ?? 'GET';
    const attributes = {
      'http.request.method': method,
      ...(isInternal && { 'server.address': origin.hostname, 'server.port': portOf(origin) }),
    };
    const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, parent());
    spans.set(request, span);
    if (!isInternal) return;
    removeTrace(request);
    propagator.inject(trace.setSpan(parent(), span), request, {
      set: (carrier, name, value) => void carrier.addHeader(name, value),
    });
  });
  subscribe('undici:request:headers', (message) => {
    const { request, response } = message as DiagnosticsChannel.RequestHeadersMessage;
    const { statusCode } = response;
    const span = spans.get(request)?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 400) span?.setStatus({ code: SpanStatusCode.ERROR });
  });
  subscribe('undici:request:trailers', (message) => ending(message as object)?.end());
  subscribe('undici:request:error', (message) => {
    const span = ending(message as object);
    if (span) endFailed(span, (message as DiagnosticsChannel.RequestErrorMessage).error);
  });
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** Removes the headers of a trace that a client sent: the gateway forwards them otherwise. */
function removeTrace(request: DiagnosticsChannel.Request): void {
  const headers = request.headers as unknown as unknown[];
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (/^trace(?:parent|state)$/i.test(String(headers[at]))) headers.splice(at, 2);
  }
}
