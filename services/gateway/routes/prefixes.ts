import { confirmContract } from '@gatehouse/shared/contract/confirm';
import {
  changePasswordContract,
  undoEmailContract,
  verifyEmailContract,
} from '@gatehouse/shared/contract/credentials';
import { unlinkContract } from '@gatehouse/shared/contract/links';
import {
  BROWSER_PREFIXES,
  PREFIXES,
  PREFIXES_WITHOUT_USER_ID,
  type Prefix,
  PUBLIC_PREFIXES,
} from '@gatehouse/shared/contract/prefixes';
import {
  deleteAccountContract,
  endOtherSessionsContract,
  endSessionContract,
  logoutContracts,
  refreshContracts,
} from '@gatehouse/shared/contract/sessions';
import { exchangeContract } from '@gatehouse/shared/contract/sso-exchange';
import { LOGIN_BODY, PROVIDER_BODY } from '@gatehouse/shared/http/body-limits';
import { AppError } from '@gatehouse/shared/http/errors';
import { failurePage } from '@gatehouse/shared/http/failure-page';
import { routePath } from '@gatehouse/shared/operation/add-operations';
import type { FastifyInstance } from 'fastify';
import type { GatewayDependencies } from '../dependencies.ts';
import { type Forwarding, forwarding } from '../proxy/forwarding.ts';
import { platformService } from '../proxy/platform-service.ts';
import { wholeBody } from '../proxy/request-body.ts';
import { relay } from '../proxy/response.ts';
import { scimTooLarge } from '../proxy/scim-too-large.ts';
import { type ForwardOptions, notConfigured } from '../proxy/upstreams.ts';
import { respond } from './respond.ts';
import { uploadPdf } from './upload-pdf.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bytes of the largest body; a mebibyte by default. */
    maxBody?: number;
  }
}

/** Prefixes whose bodies arrive without a bearer. */
const BODY_LIMITS: Partial<Record<Prefix, number>> = {
  '/api/v1/auth/sso': LOGIN_BODY,
  '/saml': PROVIDER_BODY,
  '/oauth': PROVIDER_BODY,
  '/social': PROVIDER_BODY,
};

/** Paths that the gateway validates before it forwards them; their routes are elsewhere. */
const CHECKED: readonly string[] = [respond.path, uploadPdf.path];

/** Forwards every prefix of the catalogue to what serves it (CONTRACT.md §Prefixes). */
export async function prefixes(
  app: FastifyInstance,
  {
    config,
    upstreams,
    loginService,
    userService,
    factorThrottle,
    idempotency,
    principals,
  }: GatewayDependencies,
): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.schema = { hide: true };
  });
  // Bodies are not parsed: they are forwarded as they arrive.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);

  // A service may ignore case and a trailing slash, and would then run a call that was not validated.
  app.addHook('onRequest', async ({ url }) => {
    const path = url.split('?', 1)[0] ?? '';
    const plain = path.toLowerCase().replace(/\/$/, '');
    if (path !== plain && CHECKED.includes(plain)) throw new AppError('notFound');
  });

  /** A slow body waits here, not at the service. */
  const toUserService = forwarding(async (request, reply) => {
    const body = await wholeBody(request, request.routeOptions.config.maxBody);
    const endsSessions = request.routeOptions.config.operation?.endsSessions;
    // No signal: what ends sessions is waited for, even if the client disconnects.
    const forward = (options: ForwardOptions) =>
      userService.forward(request, endsSessions ? { body: options.body } : options);
    const response = await idempotency(request, reply, forward, body);
    // This gateway refuses ended sessions at once, the others do within PRINCIPAL_CACHE_MS.
    if (request.principal && endsSessions) principals.forgetUser(request.principal.user.email);
    return relay(reply, response);
  });
  const toLoginService = forwarding(async (request, reply) => {
    const response = await loginService.forward(request, { body: await wholeBody(request) });
    // After a logout this gateway refuses the session at once; the others do within PRINCIPAL_CACHE_MS.
    principals.forget(request.headers.authorization);
    return relay(reply, response);
  });
  const toConfirmation = forwarding(async (request, reply) => {
    const body = await wholeBody(request, confirmContract.bodyLimit);
    const forward = () => loginService.forward(request, { body });
    return relay(reply, await factorThrottle(request.ip, forward));
  });
  const toNoService = (prefix: Prefix) =>
    forwarding(async () => {
      throw notConfigured(prefix);
    });
  const isOurs = (prefix: Prefix): boolean =>
    upstreams[prefix] === loginService || upstreams[prefix] === userService;
  const forwardingOf = (prefix: Prefix): Forwarding => {
    const upstream = upstreams[prefix];
    if (!upstream) return toNoService(prefix);
    if (upstream === loginService) return toLoginService;
    if (upstream === userService) return toUserService;
    return platformService(upstream, idempotency);
  };

  const known = [
    ...[...refreshContracts, ...logoutContracts].map((operation) => ({ operation, forward: toLoginService })),
    ...[
      deleteAccountContract,
      endSessionContract,
      endOtherSessionsContract,
      changePasswordContract,
      verifyEmailContract,
      unlinkContract,
    ].map((operation) => ({ operation, forward: toUserService })),
  ];
  for (const { operation, forward } of known) {
    forward(app, {
      prefix: '',
      routes: [routePath(operation.path)],
      methods: [operation.method],
      config: { public: false, withoutUserId: true, operation },
    });
  }

  toConfirmation(app, {
    prefix: '',
    routes: [confirmContract.path],
    methods: [confirmContract.method],
    config: { public: false, operation: confirmContract },
  });

  for (const operation of [exchangeContract, undoEmailContract]) {
    toUserService(app, {
      prefix: '',
      routes: [operation.path],
      methods: [operation.method],
      config: { public: true, maxBody: LOGIN_BODY, operation },
    });
  }

  for (const prefix of Object.keys(PREFIXES) as Prefix[]) {
    const forward = forwardingOf(prefix);
    const open = config.PUBLIC_CALLBACK_PATHS.filter((path) => path.startsWith(`${prefix}/`));
    const routing = {
      public: PUBLIC_PREFIXES.has(prefix),
      withoutUserId: PREFIXES_WITHOUT_USER_ID.has(prefix),
      // Whoever is an operator acts there as themselves.
      ...(prefix === '/api/v1/admin' && { allowsSupport: 'none' as const }),
      // Our services know the operation and so decide; the platform's do not know keys.
      byKey: isOurs(prefix) ? ('service' as const) : ('platform' as const),
      ...(BODY_LIMITS[prefix] && { maxBody: BODY_LIMITS[prefix] }),
      // The user service judges the tokens of SCIM, so a provider with a good one is not held up.
      countsRefusals: prefix === '/scim/v2',
      ...(prefix === '/scim/v2' && { renderFailure: scimTooLarge }),
      ...(BROWSER_PREFIXES.has(prefix) && { errorPage: failurePage }),
    };
    await forward(app, { prefix, routes: ['', '/*'], config: routing });
    if (open.length > 0) {
      const routes = open.map((path) => path.slice(prefix.length));
      await forward(app, { prefix, routes, config: { public: true } });
    }
  }
}
