import type { IncomingMessage, ServerResponse } from 'node:http';
import { messagePage, sendPage } from '../pages.ts';
import { paused, type Staff } from '../people.ts';
import type { SigningKey } from '../signing-key.ts';
import { createApple } from './apple.ts';
import { createGitHub } from './github.ts';
import { createGoogle } from './google.ts';
import { createMicrosoft } from './microsoft.ts';
import type { ProviderOptions } from './provider-options.ts';
import { sendJson } from './send-json.ts';
import type { Switch } from './switches.ts';

/** The providers that consumers know, each below /<name>/. Logins need no password. */
export function createSocialProviders(base: string, gatehouse: string, key: SigningKey, staff: Staff) {
  function add<T>(name: string, create: (options: ProviderOptions, key: SigningKey) => T) {
    const switches = new Set<Switch>();
    const redirectUri = `${gatehouse}/social/${name}/callback`;
    return { switches, ...create({ base: `${base}/${name}`, redirectUri, staff, switches }, key) };
  }
  const providers = {
    google: add('google', createGoogle),
    apple: add('apple', createApple),
    microsoft: add('microsoft', createMicrosoft),
    github: add('github', createGitHub),
  };
  const isProvider = (name: string): name is keyof typeof providers => Object.hasOwn(providers, name);

  async function answer(
    name: keyof typeof providers,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { switches, listener } = providers[name];
    // Pages for people always answer at once; only the calls of Gatehouse fail.
    if (!request.headers.accept?.includes('text/html')) {
      await paused({ isSlow: switches.has('slow') });
      if (switches.has('down')) return sendJson(response, { error: 'temporarily_unavailable' }, 503);
    }
    await listener(path, request, response);
  }

  /** Answers a call below a provider's name. @returns whether it is one. */
  function listener(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(request.url ?? '/', base);
    const [, name = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(pathname) ?? [];
    if (!isProvider(name)) return false;
    answer(name, path, request, response).catch((error: Error) =>
      sendPage(response, messagePage(`The request cannot be read: ${error.message}.`), 400),
    );
    return true;
  }
  return { listener, providers };
}

export type SocialProviders = ReturnType<typeof createSocialProviders>['providers'];
