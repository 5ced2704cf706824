import { isUtf8 } from 'node:buffer';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { requiredText } from '@gatehouse/shared/http/fields';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Idempotency } from '../proxy/idempotency.ts';
import { relay } from '../proxy/response.ts';
import { notConfigured, type Upstream } from '../proxy/upstreams.ts';

/** POST /api/v1/chat-3d/respond: validated, then forwarded (CONTRACT.md §Platform calls). */
export const respond: FastifyPluginAsyncZod<{
  upstream: Upstream | undefined;
  idempotency: Idempotency;
}> = async (app, { upstream, idempotency }) => {
  // The client's own bytes are forwarded: JSON that is serialized again would round large numbers.
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const isEncoded = request.headers['content-encoding'] !== undefined;
    if (isEncoded || !isUtf8(body)) return done(new AppError('invalidFormat'));
    bodies.set(request, body);
    return body.length === 0 ? done(null, undefined) : parse(request, body.toString(), done);
  });

  app.post(
    '/api/v1/chat-3d/respond',
    {
      schema: {
        tags: ['platform'],
        summary: 'Send a message to a 3D chatbot',
        description: 'Forwarded to the chat service, whose response is returned unchanged.',
        security: [{ bearer: [] }],
        body: z
          .looseObject(
            { chatbot_id: requiredText, message: requiredText, user_id: requiredText },
            { error: ({ input }) => (input === null ? 'is required' : 'must be a JSON object') },
          )
          .meta({
            examples: [
              {
                chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
                message: 'Hello',
                user_id: 'User-483920',
              },
            ],
          }),
        response: {
          200: z.looseObject({}).meta({
            description: 'The response of the chat service',
            examples: [{ reply: 'Good morning!' }],
          }),
          ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
        },
      },
    },
    async (request, reply) => {
      if (!upstream) throw notConfigured('/api/v1/chat-3d');
      const response = await idempotency(
        request,
        reply,
        (call) => upstream.forward(request, call),
        bodies.get(request),
      );
      return relay(reply, response);
    },
  );
};
