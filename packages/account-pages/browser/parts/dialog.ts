import { type ComponentChildren, createContext } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';

/** Closes the dialog around a form; undefined for a form of a page. */
export const CloseDialog = createContext<(() => void) | undefined>(undefined);

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
  const isOpen = useRef(true);
  // Before the next key is pressed: a later move of the focus would lose what is typed until then.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      // Closing, unlike removing, gives the focus back to what had it before.
      isOpen.current = false;
      element?.close();
    };
  }, []);
  return html`
    <dialog
      ref=${dialog}
      aria-label=${title}
      onClose=${() => isOpen.current && onClose()}
      onClick=${(event: MouseEvent) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog">
        <header>
          <h2>${title}</h2>
          <button type="button" class="close" aria-label=${texts.dialog.close} onClick=${() => dialog.current?.close()}>×</button>
        </header>
        <${CloseDialog.Provider} value=${() => dialog.current?.close()}>${children}<//>
      </div>
    </dialog>
  `;
}
