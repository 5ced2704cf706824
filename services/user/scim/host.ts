import type { ScimHost } from '@gatehouse/scim/host';
import { readOperations } from '@gatehouse/scim/patch';
import { GROUP_ATTRIBUTES, type Json, USER_ATTRIBUTES } from '@gatehouse/scim/schemas';
import { tooSlow } from '@gatehouse/shared/data/time-limit';
import type { FastifyRequest } from 'fastify';
import type { ProvisioningOptions } from '../provisioning/options.ts';
import { connectionOf, scimBearer } from './bearer.ts';
import type { ScimCall } from './call.ts';
import { createGroup } from './groups/create.ts';
import { deleteGroup } from './groups/delete.ts';
import { listGroups } from './groups/list.ts';
import { presentGroups } from './groups/present.ts';
import { findGroup } from './groups/records.ts';
import { patchGroup, replaceGroup } from './groups/update.ts';
import { createUsers } from './users/create.ts';
import { createMany } from './users/create-many.ts';
import { deleteUser } from './users/delete.ts';
import { findUser } from './users/find.ts';
import { readUser } from './users/input.ts';
import { listUsers } from './users/list.ts';
import { presentUsers, type ScimIdentity } from './users/present.ts';
import { patchUser, replaceUser } from './users/update.ts';

const slowList = tooSlow('The list takes too long; use a narrower filter');

/** Users are people of a connection, groups the departments of its organization. */
export function createScimHost(options: ProvisioningOptions): ScimHost {
  const callOf = (request: FastifyRequest): ScimCall => ({
    options,
    request,
    connection: connectionOf(request),
  });
  const presentUser = async (call: ScimCall, user: ScimIdentity, withGroups = true): Promise<Json> =>
    (await presentUsers(call, [user], { withGroups }))[0] as Json;
  const presentGroup = async (
    call: ScimCall,
    group: Awaited<ReturnType<typeof findGroup>>,
    withMembers = true,
  ) => (await presentGroups(call, [group], { withMembers }))[0] as Json;

  return {
    bearer: scimBearer(options),
    users: {
      async create(request, body) {
        const call = callOf(request);
        const [created] = await createUsers(call, [readUser(body)]);
        if (!created || 'error' in created) throw created?.error;
        return presentUser(call, created);
      },
      createMany: (request, bodies) => createMany(callOf(request), bodies),
      async get(request, id, want) {
        const call = callOf(request);
        return presentUser(call, await findUser(call, id), want.has('groups'));
      },
      list: (request, query, want) => listUsers(callOf(request), query, want).catch(slowList),
      async replace(request, id, body, ifMatch) {
        const call = callOf(request);
        return presentUser(call, await replaceUser(call, id, body, ifMatch));
      },
      async patch(request, id, body, ifMatch) {
        const call = callOf(request);
        return presentUser(call, await patchUser(call, id, readOperations(body, USER_ATTRIBUTES), ifMatch));
      },
      remove: (request, id, ifMatch) => deleteUser(callOf(request), id, ifMatch),
    },
    groups: {
      async create(request, body) {
        const call = callOf(request);
        return presentGroup(call, await createGroup(call, body));
      },
      async get(request, id, want) {
        const call = callOf(request);
        return presentGroup(call, await findGroup(call, id), want.has('members'));
      },
      list: (request, query, want) => listGroups(callOf(request), query, want).catch(slowList),
      async replace(request, id, body, ifMatch) {
        const call = callOf(request);
        return presentGroup(call, await replaceGroup(call, id, body, ifMatch));
      },
      async patch(request, id, body, ifMatch) {
        await patchGroup(callOf(request), id, readOperations(body, GROUP_ATTRIBUTES), ifMatch);
        return undefined;
      },
      remove: (request, id, ifMatch) => deleteGroup(callOf(request), id, ifMatch),
    },
  };
}
