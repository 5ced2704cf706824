import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { endOpenTokens, logoutState, onLogoutChange } from '../logout.ts';
import type { End } from '../session.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import { Notice } from './notice.ts';

/** Says how the session ended, and that it may still be open while the server has not confirmed its end. */
export function SessionNotice({
  end,
  isSignIn,
}: {
  end: End | undefined;
  /** Whether the page is the one that follows the end of a session. */
  isSignIn: boolean;
}) {
  const [state, setState] = useState(logoutState);
  useEffect(() => {
    setState(logoutState());
    return onLogoutChange(() => setState(logoutState()));
  }, []);
  if (state === 'failed') {
    return html`
      <${Notice} kind="error">${texts.session.mayBeOpen}<//>
      <${Button} onClick=${endOpenTokens}>${texts.table.retry}<//>
    `;
  }
  if (state === 'under way') return html`<${Notice} kind="info">${texts.session.ending}<//>`;
  const shown = end ?? (state === 'done' ? 'signed out' : undefined);
  return isSignIn && shown && html`<${Notice} kind="info">${texts.session.ended[shown]}<//>`;
}
