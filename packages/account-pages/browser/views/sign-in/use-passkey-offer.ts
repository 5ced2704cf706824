import { useEffect } from 'preact/hooks';
import { hasPasskeys } from '../../config.ts';

/**
 * Offers passkeys in the browser's autofill. The module is loaded after the page is shown, and only by a browser that can.
 * @param isOn whether to offer them now; a password that is being checked ends the offer.
 */
export function usePasskeyOffer(isOn: boolean, onDone: (signIn: Promise<void>) => void): void {
  useEffect(() => {
    if (!isOn || !hasPasskeys()) return;
    let isOver = false;
    let stop = () => {
      isOver = true;
    };
    const begin = async () => {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
      const { offerPasskeys } = await import('../../passkeys.ts');
      if (!isOver) stop = offerPasskeys(onDone);
    };
    begin().catch(() => {}); // the button says what is wrong
    return () => stop();
  }, [isOn]);
}
