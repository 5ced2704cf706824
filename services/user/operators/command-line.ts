import type { Principal } from '@gatehouse/shared/identity/caller';
import type { Operator } from '@gatehouse/shared/identity/operators';
import type { Session } from '@gatehouse/shared/identity/sessions';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ObjectId } from 'mongodb';

/** The actor of `npx gatehouse` directly on the database: whoever holds MONGODB_URI holds everything. */
const NAME = 'command line';

/** No token makes this session: it is compared by identity. */
const SESSION: Session = { id: NAME, hasId: false, beganAt: 0 };

/** Its `_id` is that of no account. */
const USER: Principal['user'] = {
  _id: new ObjectId('0'.repeat(24)),
  email: NAME,
  password: '',
  name: NAME,
  user_id: NAME,
  verified: true,
  account_status: 'active',
  payment_status: '',
  'user_created_at(DATE)': '',
  subscription_id: '',
  subscription_date: '',
};

/** Takes the place of the bearer check in the process of a command, which listens nowhere. */
export const actAsCommandLine = fp(async (app: FastifyInstance, { now }: { now: () => number }) => {
  app.decorateRequest('principal', undefined);
  app.addHook('onRequest', async (request) => {
    const at = now();
    request.principal = { user: USER, session: SESSION, confirmedAt: at, checkedAt: at, expiresAt: at };
  });
});

/** The operator that the command line is; undefined for every other caller. */
export const commandLineOperator = ({ principal }: FastifyRequest): Operator | undefined =>
  principal?.session === SESSION
    ? { _id: NAME, level: 'admin', added_at: new Date(principal.checkedAt), added_by: NAME }
    : undefined;
