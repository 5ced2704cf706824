import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { getProfile } from '../profile.ts';
import { useQuery } from '../router.ts';
import { Avatar } from './avatar.ts';
import { Lazy } from './lazy.ts';
import { useData } from './use-data.ts';
import { useDismiss } from './use-dismiss.ts';

/** Who is signed in, and behind it their organizations, theme, language and the way out. */
export default function UserMenu({ path }: { path?: string }) {
  const { data: profile, reload } = useData('me', getProfile);
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useDismiss(root, isOpen, (by) => {
    setOpen(false);
    if (by === 'escape') button.current?.focus();
  });
  const place = `${path} ${useQuery()}`;
  useEffect(() => setOpen(false), [place]);
  useEffect(() => {
    addEventListener('profile-changed', reload);
    return () => removeEventListener('profile-changed', reload);
  }, []);
  return html`
    <div class="user-menu" ref=${root}>
      <button
        type="button"
        class="user"
        ref=${button}
        aria-expanded=${isOpen}
        aria-controls="user-menu"
        onClick=${() => setOpen(!isOpen)}
      >
        <span class="visually-hidden">${texts.menu.open}</span>
        <span class="user-name">${profile?.name || profile?.email}</span>
        <${Avatar} profile=${profile} />
      </button>
      ${isOpen && html`<div class="panel" id="user-menu" role="group" aria-label=${texts.menu.open}><${Lazy} load=${() => import('./user-panel.ts')} profile=${profile} /></div>`}
    </div>
  `;
}
