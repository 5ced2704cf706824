import { adoptSupportSession, showAccount } from '../account.ts';
import { html } from '../html.ts';
import { Notice } from '../parts/notice.ts';
import { useData } from '../parts/use-data.ts';
import { texts } from '../texts.ts';

/** Checks the session of a support link, and adopts it (spec §Authentication 9). */
export default function Support() {
  const { error } = useData('support', async () => {
    await adoptSupportSession();
    showAccount();
  });
  return html`
    <h1>${texts.titles.support}</h1>
    ${
      error
        ? html`
            <${Notice} kind="error">${error.message}<//>
            <a class="button secondary" href="/">${texts.titles['sign-in']}</a>
          `
        : html`<p role="status">${texts.support.checking}</p><div class="skeleton"></div>`
    }
  `;
}
