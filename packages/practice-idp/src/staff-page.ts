import type { IncomingMessage, ServerResponse } from 'node:http';
import { messagePage, page, readForm, sendPage } from './pages.ts';
import { CONDITIONS, PEOPLE, type Staff } from './people.ts';

export const STAFF_PATH = '/people';

/** Serves the page on which people are disabled, deleted and let in again. @param revoke ends refresh tokens. */
export function createStaffPage(staff: Staff, revoke: (uid: string) => Promise<void>) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      // Another site must not change anything.
      if (request.headers['sec-fetch-site'] === 'cross-site')
        return sendPage(response, messagePage('The form is of another site.'), 403);
      const { uid = '', action = '' } = await readForm(request);
      const condition = CONDITIONS.find((name) => name === action);
      if (condition) staff.setCondition(uid, condition);
      if (action === 'revoke') await revoke(uid);
      if (action === 'slow' || action === 'fast') staff.isSlow = action === 'slow';
    }
    sendPage(response, staffPage(staff));
  }
  return (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response).catch((error: Error) =>
      sendPage(response, messagePage(`The form cannot be read: ${error.message}.`), 400),
    );
}

const button = (uid: string, action: string, label: string): string =>
  `<form method="post" style="display:inline"><input type="hidden" name="uid" value="${uid}"><button name="action" value="${action}">${label}</button></form>`;

function staffPage(staff: Staff): string {
  const rows = PEOPLE.map((person) => {
    const { uid, email } = person;
    const actions = [
      button(uid, 'active', 'Let in'),
      button(uid, 'disabled', 'Disable'),
      button(uid, 'deleted', 'Delete'),
      button(uid, 'revoke', 'Revoke refresh tokens'),
    ];
    return `<p>${email}: ${staff.conditionOf(person)}<br>${actions.join(' ')}</p>`;
  });
  const speed = staff.isSlow ? button('', 'fast', 'Answer at once') : button('', 'slow', 'Answer slowly');
  return page('People', `${rows.join('\n')}\n<p>${speed}</p>`);
}
