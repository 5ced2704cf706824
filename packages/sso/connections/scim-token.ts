import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import { digest } from '../digest.ts';
import { randomToken } from '../login/flow.ts';
import { addressesOf } from './addresses.ts';
import { ownedConnection, requirePlan } from './owned.ts';

export const issueScimToken = operation('POST /api/v1/sso/connections/{connection_id}/scim-token', {
  needs: 'ownership',
  returnsSecret: true,
  summary: 'Issue a SCIM token',
  description:
    'Returns a new bearer for provisioning with SCIM 2.0, which only this response shows. The previous token stops working at once.',
  returns: {
    201: z.object({ token: z.string(), scim_base_url: z.string() }).meta({
      description: 'The token is issued',
      examples: [
        {
          token: 'scim_C2FVsBQIhrscChlQIMV-b5sSYspob7oDq3cXbVn0uYE',
          scim_base_url: 'https://accounts.example.com/scim/v2',
        },
      ],
    }),
  },
  audits: ['connection.update'],
  async handle(call) {
    const { db, now, request, params, audit } = call;
    const connection = await ownedConnection(call, request, params.connection_id);
    const { connection_id, organization_id } = connection;
    await requirePlan(call, organization_id);
    const token = `scim_${randomToken()}`;
    const before = orNotFound(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id, deleted_at: { $exists: false } },
        { $set: { scim_token: digest(token), updated_at: new Date(now()) } },
        { returnDocument: 'before' },
      ),
    );
    await audit('connection.update', {
      target: { connection_id },
      organization_id,
      before: { scim_token: stateOf(before) },
      after: { scim_token: 'issued' },
    });
    const { scim_base_url } = addressesOf(call, connection);
    return { token, scim_base_url };
  },
});

export const revokeScimToken = operation('DELETE /api/v1/sso/connections/{connection_id}/scim-token', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Revoke the SCIM token',
  description: 'The token stops working at once. Also possible without the plan.',
  returns: message('SCIM token revoked', 'The token is revoked, if there was one'),
  audits: ['connection.update'],
  async handle({ db, host, now, request, params, audit }) {
    const { connection_id, organization_id } = await ownedConnection(
      { db, host },
      request,
      params.connection_id,
    );
    const before = orNotFound(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id },
        { $set: { updated_at: new Date(now()) }, $unset: { scim_token: true } },
        { returnDocument: 'before' },
      ),
    );
    await audit('connection.update', {
      target: { connection_id },
      organization_id,
      before: { scim_token: stateOf(before) },
      after: { scim_token: 'none' },
    });
  },
});

const stateOf = ({ scim_token }: { scim_token?: string }) => (scim_token === undefined ? 'none' : 'issued');
