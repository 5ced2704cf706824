import type { IncomingMessage, ServerResponse } from 'node:http';
import { messagePage, page, readForm, sendPage } from '../pages.ts';
import type { SocialProviders } from './social.ts';
import { isSwitch, SWITCHES } from './switches.ts';

export const SWITCH_PATH = '/social';

/** Serves the page on which the providers of consumers are made to fail. */
export function createSwitchPage(providers: SocialProviders) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      // Another site must not change anything.
      if (request.headers['sec-fetch-site'] === 'cross-site')
        return sendPage(response, messagePage('The form is of another site.'), 403);
      const { provider = '', switch: name = '', forget } = await readForm(request);
      const { switches } = Object.entries(providers).find(([known]) => known === provider)?.[1] ?? {};
      if (switches && isSwitch(name) && !switches.delete(name)) switches.add(name);
      if (forget !== undefined) providers.apple.forget();
    }
    sendPage(response, switchPage(providers));
  }
  return (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response).catch((error: Error) =>
      sendPage(response, messagePage(`The form cannot be read: ${error.message}.`), 400),
    );
}

function switchPage(providers: SocialProviders): string {
  const forms = Object.entries(providers).map(([provider, { switches }]) => {
    const buttons = Object.entries(SWITCHES).map(([name, label]) => {
      const isOn = isSwitch(name) && switches.has(name);
      return `<p><button name="switch" value="${name}" aria-pressed="${isOn}">${label}</button>${isOn ? ' <strong>on</strong>' : ''}</p>`;
    });
    return `<form method="post">
<h2>${provider}</h2>
<input type="hidden" name="provider" value="${provider}">
${buttons.join('\n')}
</form>`;
  });
  return page(
    'Providers',
    `${forms.join('\n')}
<form method="post"><p><button name="forget" value="1">Apple forgets who has logged in, and names them again</button></p></form>`,
  );
}
