import { useEffect, useState } from 'preact/hooks';
import { type Pending, pendingCode } from '../pending.ts';
import { texts } from '../texts.ts';
import { FAILED } from './form.ts';

/** The account that waits for a code, and a way to another code, whose outcome is a notice. */
export function usePendingCode(sendAnother: (pending: Pending) => Promise<void>) {
  const [pending, setPending] = useState(pendingCode);
  const [notice, setNotice] = useState<{ kind: 'success' | 'error'; text: string }>();
  useEffect(() => {
    const clear = () => setNotice(undefined);
    addEventListener(FAILED, clear);
    return () => removeEventListener(FAILED, clear);
  }, []);
  const resend = async () => {
    if (!pending) return;
    try {
      await sendAnother(pending);
      setPending(pendingCode());
      setNotice({ kind: 'success', text: texts.code.resent });
    } catch (error) {
      setNotice({ kind: 'error', text: (error as Error).message });
    }
  };
  return { pending, notice, clearNotice: () => setNotice(undefined), resend };
}
