/**
 * The secret of a link for the first operator. This module is the first that runs, and imports nothing: it takes the
 * secret out of the address before anything else is loaded or called. The tab keeps it while its person signs in.
 */
const KEY = 'gatehouse.operator-claim';

const claim = new URLSearchParams(location.hash.slice(1)).get('claim');
if (claim !== null) {
  history.replaceState(history.state, '', location.pathname + location.search);
  if (/^[\w-]{43}$/.test(claim)) sessionStorage.setItem(KEY, claim);
}

export const operatorClaim = (): string | null => sessionStorage.getItem(KEY);

export const forgetClaim = (): void => sessionStorage.removeItem(KEY);
