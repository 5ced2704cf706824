import type { TracingChannel } from 'node:diagnostics_channel';
import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { channels } from './channels.ts';
import { current, endFailed, parent } from './current.ts';

/** Records a span for each mail. It tells neither the recipient nor the content. */
export const traceMails = (tracer: Tracer): void => traceWork(tracer, 'send mail', channels.mail);

/** Records a span for each attempt of a delivery, with the status of the receiver. */
export function traceWebhooks(tracer: Tracer): void {
  traceWork(tracer, 'deliver webhook', channels.webhook, (span, result) => {
    const { status } = result as { status: number | null };
    if (status !== null) span.setAttribute('http.response.status_code', status);
    if (status === null || status >= 300) span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

/** Records a span for each `tracePromise` of a channel. What it does belongs to the span. */
function traceWork(
  tracer: Tracer,
  name: string,
  channel: TracingChannel,
  describe: (span: Span, result: unknown) => void = () => {},
): void {
  const spans = new WeakMap<object, Span>();
  channel.start.bindStore(current, (work) => {
    const span = tracer.startSpan(name, { kind: SpanKind.PRODUCER }, parent());
    spans.set(work as object, span);
    return trace.setSpan(parent(), span);
  });
  channel.asyncEnd.subscribe((message) => {
    const work = message as { error?: unknown; result?: unknown };
    const span = spans.get(work);
    if (!span) return;
    if (work.error !== undefined) return endFailed(span, work.error);
    describe(span, work.result);
    span.end();
  });
}
