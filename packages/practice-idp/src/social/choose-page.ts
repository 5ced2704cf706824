import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import { page } from '../pages.ts';
import type { Staff } from '../people.ts';

/** Asks who is logging in, without a password. The form goes back to the address of the page. */
export function choosePage(provider: string, staff: Staff, canHideEmail = false): string {
  const people = staff
    .people()
    .filter(({ uid }) => staff.find(uid))
    .map(
      ({ uid, email, firstName, lastName }) =>
        `<p><button name="person" value="${uid}">${escapeMarkup(`${firstName} ${lastName}`)}</button> ${email}</p>`,
    );
  return page(
    `Practice ${provider}`,
    `<p>Who are you?</p>
<form method="post">
${people.join('\n')}
${canHideEmail ? '<p><label><input type="checkbox" name="hide"> Hide my e-mail</label></p>' : ''}
<p><button name="refuse" value="1">Cancel</button></p>
</form>`,
  );
}
