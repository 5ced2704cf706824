import { type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Document, MongoClient } from 'mongodb';
import { channels } from './channels.ts';
import { current, endFailed, parent } from './current.ts';

/** Records a span for each command to MongoDB within another span: its name and collection, never its values. */
export function traceCommands(tracer: Tracer): void {
  channels.database.subscribe((message) => {
    const client = message as MongoClient;
    const spans = new Map<number, Span>();
    const ending = ({ requestId }: { requestId: number }) => {
      const span = spans.get(requestId);
      spans.delete(requestId);
      return span;
    };
    client.on('commandStarted', ({ requestId, commandName, databaseName, command }) => {
      if (!current.getStore()) return;
      const collection = collectionOf(commandName, command);
      const attributes = {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        ...(collection && { 'db.collection.name': collection }),
      };
      const name = collection ? `${commandName} ${collection}` : commandName;
      spans.set(requestId, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent()));
    });
    client.on('commandSucceeded', (event) => ending(event)?.end());
    client.on('commandFailed', (event) => {
      const span = ending(event);
      if (span) endFailed(span, event.failure);
    });
  });
}

function collectionOf(commandName: string, command: Document): string | undefined {
  const name = commandName === 'getMore' ? command.collection : command[commandName];
  return typeof name === 'string' ? name : undefined;
}
