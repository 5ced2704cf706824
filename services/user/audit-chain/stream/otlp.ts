import type { Receiver } from './receiver.ts';
import type { StreamedEvent } from './streamed-event.ts';

/** OTLP over HTTP, logs in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export const otlpReceiver = (url: string, headers: Record<string, string> = {}): Receiver => ({
  name: 'otlp',
  request: (events) => ({
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(logsOf(events))),
  }),
  /** A collector that took the request and refused records must not get them again. */
  rejected(answer) {
    try {
      const { partialSuccess = {} } = JSON.parse(answer);
      const count = Number(partialSuccess.rejectedLogRecords ?? 0);
      return count > 0 ? { count, reason: String(partialSuccess.errorMessage ?? '') } : null;
    } catch {
      return null;
    }
  },
});

const logsOf = (events: readonly StreamedEvent[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [attribute('service.name', 'gatehouse')] },
      scopeLogs: [{ scope: { name: 'gatehouse.audit' }, logRecords: events.map(recordOf) }],
    },
  ],
});

const SEVERITY = { success: [9, 'INFO'], refused: [13, 'WARN'] } as const;

function recordOf({ event_id, at, action, event, chain }: StreamedEvent) {
  const [severityNumber, severityText] =
    SEVERITY[event && event.outcome !== 'success' ? 'refused' : 'success'];
  const nanoseconds = `${Date.parse(at)}000000`;
  const attributes: [string, unknown][] = [
    ['gatehouse.audit.event_id', event_id],
    ['gatehouse.audit.action', action],
    ['gatehouse.audit.removed', event === null ? true : null],
    ['gatehouse.audit.outcome', event?.outcome],
    ['user.id', event?.actor.user_id],
    ['user.email', event?.actor.email],
    ['client.address', event?.address],
    ['gatehouse.audit.target', event && JSON.stringify(event.target)],
    ['gatehouse.audit.before', event?.before && JSON.stringify(event.before)],
    ['gatehouse.audit.after', event?.after && JSON.stringify(event.after)],
    ['gatehouse.organization_id', event?.organization_id],
    ['gatehouse.department_id', event?.department_id],
    ['gatehouse.request_id', event?.request_id],
    ['gatehouse.audit.chain.position', chain.position],
    ['gatehouse.audit.chain.day', chain.day],
    ['gatehouse.audit.chain.link', chain.link],
  ];
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    severityNumber,
    severityText,
    eventName: `gatehouse.audit.${action}`,
    body: { stringValue: `${action}: ${event?.outcome ?? 'removed before it was sent'}` },
    attributes: attributes
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => attribute(key, value)),
  };
}

/** In JSON, 64-bit integers are texts. */
function attribute(key: string, value: unknown) {
  if (typeof value === 'number') return { key, value: { intValue: String(value) } };
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  return { key, value: { stringValue: String(value) } };
}
