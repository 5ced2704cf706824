import { isUtf8 } from 'node:buffer';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { requiredText } from '@gatehouse/shared/http/fields';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Idempotency } from './idempotency.ts';
import { relay, type Upstream } from './upstreams.ts';

/** POST /api/v1/chat-3d/respond: held against the specification's shape, then forwarded. Its answer is the platform's. */
export const respond: FastifyPluginAsyncZod<{
  upstream: Upstream | undefined;
  idempotency: Idempotency;
}> = async (app, { upstream, idempotency }) => {
  // What is read here and what goes on are the same bytes: JSON written anew would round large numbers.
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
        summary: 'Let a 3D chatbot respond',
        description: 'Forwarded to the chat service; the answer is its own.',
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
          200: z
            .looseObject({})
            .meta({ description: 'What the chat service says', examples: [{ reply: 'Good morning!' }] }),
          ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
        },
      },
    },
    async (request, reply) => {
      if (!upstream)
        throw new AppError('unavailable', { text: 'No service is configured for /api/v1/chat-3d/' });
      const answer = await idempotency(
        request,
        reply,
        (passing) => upstream.forward(request, passing),
        bodies.get(request),
      );
      return relay(reply, answer);
    },
  );
};
