import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { getPerson } from '../profile.ts';
import { useQuery } from '../router.ts';
import { Avatar } from './avatar.ts';
import { Lazy } from './lazy.ts';
import { useData } from './use-data.ts';
import { useDismiss } from './use-dismiss.ts';

const loadPanel = () => import('./user-panel.ts');

/** Who is signed in, and behind it their organizations, theme, language and the way out. */
export default function UserMenu({ path }: { path?: string }) {
  const { data: person, reload } = useData('me', getPerson);
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
        onFocus=${loadPanel}
        onPointerEnter=${loadPanel}
        onClick=${() => setOpen(!isOpen)}
      >
        <span class="visually-hidden">${texts.menu.open}</span>
        <span class="user-name">${person?.name || person?.email}</span>
        <${Avatar} person=${person} />
      </button>
      ${isOpen && html`<div class="panel" id="user-menu" role="group" aria-label=${texts.menu.open}><${Lazy} load=${loadPanel} person=${person} /></div>`}
    </div>
  `;
}
