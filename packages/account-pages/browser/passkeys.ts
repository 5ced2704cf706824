import { startAuthentication, startRegistration, WebAuthnAbortService } from '@simplewebauthn/browser';
import { ApiError, post } from './gate.ts';
import { beginWay } from './last-way.ts';
import { adoptToken, type HalfSignIn, type PasskeyProof, type TokenResponse } from './sign-in-calls.ts';
import { texts } from './visitor-texts.ts';

/** Passkey ceremonies. The pages load this module on demand. */

const LOGIN = '/api/v1/auth/login/passkey';
const OWN = '/api/v1/users/me/passkeys';

interface Ceremony<Options> {
  passkey_token: string;
  options: Options;
}
type Request = Ceremony<Parameters<typeof startAuthentication>[0]['optionsJSON']>;
type Creation = Ceremony<Parameters<typeof startRegistration>[0]['optionsJSON']>;

/** Explains a refusal of the browser, which does not distinguish a person who cancels from a device that fails. */
function explain(error: unknown): never {
  const { name } = error as Error;
  if (name === 'InvalidStateError') throw new ApiError(texts.passkeys.known);
  throw new ApiError(name === 'SecurityError' ? texts.passkeys.otherSite : texts.passkeys.notUsed);
}

/** Asks the person for a passkey. */
async function prove(path: string, body = {}): Promise<PasskeyProof> {
  const { passkey_token, options } = await post<Request>(path, body);
  const credential = await startAuthentication({ optionsJSON: options }).catch(explain);
  return { passkey_token, credential };
}

async function complete(proof: PasskeyProof): Promise<void> {
  beginWay('passkey');
  adoptToken(await post<TokenResponse>(LOGIN, proof));
}

export const signInWithPasskey = async (): Promise<void> => complete(await prove(`${LOGIN}/options`));

/** Proves the second step of a sign-in. */
export const proveSecondStep = ({ factor_token }: HalfSignIn): Promise<PasskeyProof> =>
  prove(`${LOGIN}/options`, { factor_token });

export const proveIdentity = (): Promise<PasskeyProof> => prove('/api/v1/auth/confirm/passkey/options');

/** Makes a passkey on this device, or on one that the browser can reach. */
export async function register(name: string): Promise<void> {
  const { passkey_token, options } = await post<Creation>(`${OWN}/options`);
  const credential = await startRegistration({ optionsJSON: options }).catch(explain);
  await post(OWN, { passkey_token, credential, name });
}

/** Milliseconds after which autofill asks for another challenge; the server accepts one for two minutes. */
const RENEWED_AFTER = 90_000;

/**
 * Offers passkeys in the autofill of the field for the address, for as long as the page is shown.
 * @param onDone receives the outcome once a passkey was chosen.
 * @returns the function that ends the offer.
 */
export function offerPasskeys(onDone: (signIn: Promise<void>) => void): () => void {
  let isOver = false;
  let isWaiting = false;
  let begunAt = 0;
  const offer = async () => {
    begunAt = Date.now();
    const { passkey_token, options } = await post<Request>(`${LOGIN}/options`);
    if (isOver) return;
    isWaiting = true;
    const credential = await startAuthentication({ optionsJSON: options, useBrowserAutofill: true }).finally(
      () => {
        isWaiting = false;
      },
    );
    if (isOver) return;
    stop();
    onDone(complete({ passkey_token, credential }));
  };
  // Failures before the person chooses a passkey are not shown: they have asked for nothing yet.
  const begin = () => void offer().catch(() => {});
  // The browser's dialog has the focus while it verifies a passkey. Another offer would close that dialog.
  const timer = setInterval(() => {
    if (document.hasFocus() && Date.now() > begunAt + RENEWED_AFTER) begin();
  }, 5_000);
  function stop() {
    isOver = true;
    clearInterval(timer);
    if (isWaiting) WebAuthnAbortService.cancelCeremony();
  }
  begin();
  return stop;
}
