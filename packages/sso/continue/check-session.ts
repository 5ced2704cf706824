import { SESSION_CHECK, type SessionCheck, sessionCheck } from '@gatehouse/shared/contract/session-check';
import { audit } from '@gatehouse/shared/identity/audit';
import { principalOf } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Connection } from '../connection-records.ts';
import { endProviderSessions } from '../login/end-sessions.ts';
import { type OidcRoutes, operation } from '../oidc/operation.ts';
import type { CheckOutcome, ProviderSession } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { endByVerdict } from './end-by-verdict.ts';
import { questionOf } from './question.ts';
import { dropTurn, endTurn, replaceToken, takeTurn } from './turn.ts';

const HOUR = 3_600_000;

/** CONTRACT.md §Sessions from a provider. The gateway does not forward this path. */
export const checkSession = operation(`POST ${SESSION_CHECK}`, {
  needs: 'own',
  supportSession: 'refused',
  summary: 'Ask whether a session may go on',
  description:
    'For the login service, which refreshes the session: asks the identity provider at which the session of the bearer began, and ends the session if the provider no longer vouches for the person.',
  returns: sessionCheck.meta({
    description: 'Whether the session goes on, and until when',
    examples: [{ verdict: 'ended' }],
  }),
  audits: ['refresh', 'sso.logout'],
  async handle(call): Promise<SessionCheck> {
    const { options, request } = call;
    const { config, db, now } = options;
    const { session: current } = principalOf(request);
    const session = await db.ssoSessions.findOne({ sid: current.id });
    if (!session) return { verdict: 'ended' };
    const { connection_id } = session;
    const connection = await db.ssoConnections.findOne({ connection_id });
    if (!connection?.enabled) {
      await endProviderSessions(options, { connection_id, sid: current.id });
      return { verdict: 'ended' };
    }
    const question = questionOf(call, connection, session);
    if (question) return ask(call, connection, session, question);
    const until = session.valid_until?.getTime() ?? current.beganAt + config.SSO_SESSION_HOURS * HOUR;
    return now() >= until ? { verdict: 'expired' } : continues(connection, until);
  },
});

type OidcCall = OidcRoutes & { request: FastifyRequest };

async function ask(
  { options, request }: OidcCall,
  connection: Connection,
  { sid }: ProviderSession,
  question: NonNullable<ReturnType<typeof questionOf>>,
): Promise<SessionCheck> {
  const turn = await takeTurn(options, sid);
  if (turn.kind === 'ended') return { verdict: 'ended' };
  // A grace is for one refresh.
  if (turn.kind === 'theirs')
    return turn.outcome === 'confirmed' ? continues(connection) : { verdict: 'unavailable' };
  const { session } = turn;
  const ours = { sid, id: turn.id };
  let outcome: CheckOutcome = 'confirmed';
  try {
    const verdict = await question(session, (sealed) => replaceToken(options, session, sealed));
    if (!verdict.continues) {
      await endByVerdict(options, request, connection, session, verdict);
      return { verdict: 'ended' };
    }
  } catch (error) {
    if (!(error instanceof SsoRefusal)) {
      await dropTurn(options, ours);
      throw error;
    }
    const hadGrace = session.checked !== undefined && session.checked.outcome !== 'confirmed';
    outcome = hadGrace ? 'unavailable' : 'grace';
    await auditUnreachable(options, request, connection, error, outcome);
  }
  if (!(await endTurn(options, ours, outcome))) {
    // A logout came in between, or this call was too slow and another one has asked.
    const remains = await options.db.ssoSessions.findOne({ sid }, { projection: { _id: 1 } });
    return { verdict: remains ? 'unavailable' : 'ended' };
  }
  if (outcome === 'unavailable') return { verdict: 'unavailable' };
  return { ...continues(connection), grace: outcome === 'grace' };
}

/** The refresh itself audits a grace, when it has issued the token. */
async function auditUnreachable(
  { db, now }: OidcRoutes['options'],
  request: FastifyRequest,
  { connection_id, organization_id }: Connection,
  { refusal, detail, cause }: SsoRefusal,
  outcome: CheckOutcome,
): Promise<void> {
  request.log.warn({ connection_id, refusal, detail, outcome, err: cause }, 'identity provider not asked');
  if (outcome === 'grace') return;
  await audit(db, request, now(), {
    action: 'refresh',
    outcome: 'provider unavailable',
    organization_id,
    target: { connection_id },
    after: { detail: detail.slice(0, 500) },
  });
}

/** @param until Unix milliseconds; undefined for a provider that is asked at each refresh. */
const continues = ({ connection_id, organization_id }: Connection, until?: number) => ({
  verdict: 'continues' as const,
  until: until === undefined ? null : Math.floor(until / 1000),
  grace: false,
  connection_id,
  organization_id,
});
