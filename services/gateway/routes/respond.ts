import { isUtf8 } from 'node:buffer';
import { AppError } from '@gatehouse/shared/http/errors';
import { requiredText } from '@gatehouse/shared/http/fields';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayDependencies } from '../dependencies.ts';
import { relay } from '../proxy/response.ts';
import { notConfigured } from '../proxy/upstreams.ts';

/** The client's own bytes, which are forwarded: JSON that is serialized again would round large numbers. */
const bodies = new WeakMap<FastifyRequest, Buffer>();

async function keepBytes(scope: FastifyInstance): Promise<void> {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const isEncoded = request.headers['content-encoding'] !== undefined;
    if (isEncoded || !isUtf8(body)) return done(new AppError('invalidFormat'));
    bodies.set(request, body);
    return body.length === 0 ? done(null, undefined) : parse(request, body.toString(), done);
  });
}

/** Validated, then forwarded (CONTRACT.md §Platform calls). */
export const respond = operationsOf<GatewayDependencies>(keepBytes)('POST /api/v1/chat-3d/respond', {
  needs: 'session',
  summary: 'Send a message to a 3D chatbot',
  description: 'Forwarded to the chat service, whose response is returned unchanged.',
  body: z
    .looseObject(
      { chatbot_id: requiredText, message: requiredText, user_id: requiredText },
      { error: ({ input }) => (input === null ? 'is required' : 'must be a JSON object') },
    )
    .meta({
      examples: [
        { chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21', message: 'Hello', user_id: 'User-483920' },
      ],
    }),
  returns: z.looseObject({}).meta({
    description: 'The response of the chat service',
    examples: [{ reply: 'Good morning!' }],
  }),
  async handle({ upstreams, idempotency, request, reply }) {
    const upstream = upstreams['/api/v1/chat-3d'];
    if (!upstream) throw notConfigured('/api/v1/chat-3d');
    const forward = (options: Parameters<typeof upstream.forward>[1]) => upstream.forward(request, options);
    return relay(reply, await idempotency(request, reply, forward, bodies.get(request)));
  },
});
