import { subscribe } from 'node:diagnostics_channel';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { current } from './current.ts';

const propagator = new W3CTraceContextPropagator();
const ofHeaders = {
  get: (headers: FastifyRequest['headers'], name: string) => headers[name],
  keys: (headers: FastifyRequest['headers']) => Object.keys(headers),
};

/** Records a span for each request of every server that this process creates, except for health and documents. */
export function traceRequests(tracer: Tracer): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify: app } = message as { fastify: FastifyInstance };
    const contexts = new WeakMap<FastifyRequest, Context>();
    const resume = (request: FastifyRequest, done: () => void) => {
      const context = contexts.get(request);
      if (context) current.run(context, done);
      else done();
    };
    app.addHook('onRequest', (request, reply, done) => {
      const { method, routeOptions } = request;
      if (routeOptions.logLevel) return done();
      const route = routeOptions.url;
      const context = continued(request);
      const attributes = { 'http.request.method': method, ...(route && { 'http.route': route }) };
      const name = route ? `${method} ${route}` : method;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
      contexts.set(request, trace.setSpan(context, span));
      // Unlike onResponse, it also comes when the client disconnects.
      reply.raw.once('close', () => {
        const { statusCode } = reply.raw;
        span.setAttribute('http.response.status_code', statusCode);
        if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      resume(request, done);
    });
    // Reading a body and sending a response leave the context.
    app.addHook('preValidation', (request, _reply, done) => resume(request, done));
    app.addHook('onResponse', (request, _reply, done) => resume(request, done));
  });
}

/**
 * The trace of the caller, if the caller is a proxy whose X-Forwarded-For is trusted. A client could otherwise decide
 * what is recorded.
 */
const continued = ({ ips = [], headers }: FastifyRequest): Context =>
  ips.length > 1 ? propagator.extract(ROOT_CONTEXT, headers, ofHeaders) : ROOT_CONTEXT;
