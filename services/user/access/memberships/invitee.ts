import { emailKey } from '@gatehouse/shared/identity/email';
import { callerId, principalOf } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';

export interface Invitee {
  user_id: string;
  /** In lower case. The account is active, so its holder has verified the address. */
  email: string;
}

export const inviteeOf = (request: FastifyRequest): Invitee => ({
  user_id: callerId(request),
  email: emailKey(principalOf(request).user.email),
});

/** Matches the invitations to an account, by user_id or address. */
export const isInvited = ({ user_id, email }: Invitee) => ({ $or: [{ invited_id: user_id }, { email }] });

/** Whether an id has the form of those that verification gives (CONTRACT.md §User record). Only these can be invited. */
export const isUserId = (id: string): boolean => /^User-[1-9]\d{5,11}$/.test(id);
