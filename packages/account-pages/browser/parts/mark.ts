import { html } from '../html.ts';

/** Icons in one color, 24 by 24. A provider without one gets the icon of OpenID. */
const FILLED: Record<string, string> = {
  microsoft: 'M3.5 3.5h8v8h-8zM12.5 3.5h8v8h-8zM3.5 12.5h8v8h-8zM12.5 12.5h8v8h-8z',
  apple:
    'M12.4 6.6c0-2 1.4-3.6 3.4-4 .2 2.2-1.4 4-3.4 4zM15.5 7.6c1.6 0 2.9.9 3.6 2.1-2.9 1.7-2.4 5.6.6 6.7-.7 2-2.2 4.6-4 4.6-1.2 0-1.6-.7-3.1-.7s-2 .7-3.1.7C7 21 4.5 16.6 4.5 13.1c0-3.4 2.2-5.5 4.6-5.5 1.3 0 2.4.8 3.3.8.8 0 1.9-.8 3.1-.8z',
  github:
    'M4.9 3.6 8.3 5.7a10 10 0 0 1 7.4 0L19.1 3.6c.7 2 .7 3.9.4 5.2.9 1.2 1.4 2.7 1.4 4.3 0 4.5-3.8 7.1-8.9 7.1s-8.9-2.6-8.9-7.1c0-1.6.5-3.1 1.4-4.3-.3-1.3-.3-3.2.4-5.2zM12 11.7c-3.9 0-6 .6-6 3s2.4 4 6 4 6-1.6 6-4-2.1-3-6-3zM8.9 13.4a1 1.3 0 1 1 0 2.6 1 1.3 0 0 1 0-2.6zM15.1 13.4a1 1.3 0 1 1 0 2.6 1 1.3 0 0 1 0-2.6z',
  gitlab: 'M12 21 2.6 13.7 5.3 3.8 8.3 11h7.4l3-7.2 2.7 9.9z',
};
const DRAWN: Record<string, string> = {
  google: 'M12.5 12h7.7A8.3 8.3 0 1 1 17.6 5.9',
  openid: 'M10 4h8a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-8M3.5 12H14M10.5 8.5 14 12l-3.5 3.5',
  passkey:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2.5 20.5c0-3.6 2.6-6 6.5-6 1 0 2 .2 2.8.5M17.5 15.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM17.5 15.5V22M17.5 19.5h2.2',
  code: 'M4 5.5h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM3.5 6.5 12 13l8.5-6.5',
  sso: 'M4.5 20.5v-16h9v16M13.5 9.5h6v11M2.5 20.5h19M8 8.5h2M8 12.5h2M8 16.5h2M16.5 13.5v.01M16.5 16.8v.01',
};

/** The icon of a way to sign in. */
export const Mark = ({ way }: { way: string }) => {
  const filled = FILLED[way];
  return html`
    <svg class=${filled ? 'mark filled' : 'mark'} viewBox="0 0 24 24" aria-hidden="true">
      <path d=${filled ?? DRAWN[way] ?? DRAWN.openid} />
    </svg>
  `;
};
