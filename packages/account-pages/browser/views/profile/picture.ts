import { useRef, useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { cropPicture } from '../../crop-picture.ts';
import { ApiError, put, remove } from '../../gate.ts';
import { html } from '../../html.ts';
import { Avatar } from '../../parts/avatar.ts';
import { Button } from '../../parts/button.ts';
import { Notice } from '../../parts/notice.ts';
import { noteProfileChange, type Profile } from '../../profile.ts';

const words = texts.profile.picture;

/** The picture of the person, to choose, replace and remove. */
export function Picture({ profile, onSaved }: { profile: Profile; onSaved: () => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const attempt = async (change: () => Promise<unknown>) => {
    setBusy(true);
    setFailure('');
    try {
      await change();
      noteProfileChange();
      await onSaved();
    } catch (error) {
      setFailure(error instanceof ApiError ? error.message : words.unreadable);
    }
    setBusy(false);
  };
  const choose = async () => {
    const file = input.current?.files?.[0];
    if (!file) return;
    await attempt(async () => put('/api/v1/users/me/picture', { picture: await cropPicture(file) }));
    if (input.current) input.current.value = ''; // the same file can be chosen again
  };
  return html`
    <div class="picture">
      <${Avatar} person=${profile} size=${72} />
      <div class="actions">
        <input
          ref=${input}
          type="file"
          accept="image/*"
          hidden
          aria-label=${words.file}
          onChange=${choose}
        />
        <${Button} busy=${busy} onClick=${() => input.current?.click()}>${profile.picture ? words.replace : words.add}<//>
        ${
          profile.picture &&
          html`<${Button} kind="plain" disabled=${busy} onClick=${() => attempt(() => remove('/api/v1/users/me/picture'))}>${words.remove}<//>`
        }
      </div>
    </div>
    ${failure && html`<${Notice} kind="error">${failure}<//>`}
  `;
}
