import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';

/** A modal dialog. It opens when it is rendered; Escape, a click beside it and its close button close it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children?: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return html`
    <dialog
      ref=${dialog}
      aria-label=${title}
      onClose=${onClose}
      onClick=${(event: MouseEvent) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog">
        <header>
          <h2>${title}</h2>
          <button type="button" class="close" aria-label=${texts.dialog.close} onClick=${() => dialog.current?.close()}>×</button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}
