import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import { CloseDialog } from './dialog.ts';
import { FieldErrors } from './field.ts';
import { Notice } from './notice.ts';

/** The event of a form that fails: what has succeeded before is not the news any more. */
export const FAILED = 'form-failed';

interface Props {
  /** Receives the fields by name. What it throws is shown; a second submit waits for it. */
  onSubmit: (fields: Record<string, string>) => Promise<void>;
  submit: string;
  kind?: 'primary' | 'secondary' | 'danger';
  /** Whether to submit what is filled in as soon as the form is shown. */
  submitAtOnce?: boolean;
  /** What the fields are about; an error about something else goes. */
  version?: unknown;
  children?: ComponentChildren;
}

const inputOf = (form: HTMLFormElement | null, name: string) =>
  form?.querySelector<HTMLInputElement>(`[name=${CSS.escape(name)}]`);

/** A form whose errors are shown beside their fields, or above them all. */
export function Form({ onSubmit, submit, kind = 'primary', submitAtOnce = false, version, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const close = useContext(CloseDialog);
  const isBusy = useRef(false); // state changes only with the next rendering

  const handle = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current || !form.current) return;
    isBusy.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const fields = Object.fromEntries(new FormData(form.current)) as Record<string, string>;
      await onSubmit(fields);
    } catch (thrown) {
      const failure = thrown instanceof ApiError ? thrown : new ApiError(texts.errors.unexpected);
      setError(failure);
      dispatchEvent(new Event(FAILED));
    } finally {
      isBusy.current = false;
      setBusy(false);
    }
  };
  // The form may lack the field, for instance the address that was entered on another page.
  const field = error?.field && inputOf(form.current, error.field) ? error.field : undefined;
  useEffect(() => {
    if (field) inputOf(form.current, field)?.focus();
  }, [error]);
  useEffect(() => setError(undefined), [version]);
  useEffect(() => {
    if (submitAtOnce) form.current?.requestSubmit();
  }, []);
  return html`
    <form ref=${form} onSubmit=${handle} aria-busy=${busy}>
      ${error && !field && html`<${Notice} kind="error" requestId=${error.status >= 500 ? error.requestId : ''}>${error.message}<//>`}
      <${FieldErrors.Provider} value=${error && field ? { [field]: error.message } : {}}>${children}<//>
      ${
        close
          ? html`
            <div class="choice">
              <${Button} onClick=${close}>${texts.dialog.cancel}<//>
              <${Button} kind=${kind} type="submit" busy=${busy}>${submit}<//>
            </div>
          `
          : html`<${Button} kind=${kind} type="submit" busy=${busy}>${submit}<//>`
      }
    </form>
  `;
}
