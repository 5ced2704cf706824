/** The address that an invitation was mailed to: verifying it accepts the invitation. */
const INVITED = 'gatehouse.invited';
/** Set once the address has been verified, until its owner has been welcomed. */
const JOINED = 'gatehouse.joined';

export const rememberInvited = (email: string): void => sessionStorage.setItem(INVITED, email.toLowerCase());

/** Notes that an address has been verified. */
export function joinedBy(email: string): void {
  if (sessionStorage.getItem(INVITED) === email.toLowerCase()) sessionStorage.setItem(JOINED, 'yes');
  sessionStorage.removeItem(INVITED);
}

/** @returns the page that welcomes somebody who has just joined an organization, once. */
export function takeJoined(): string | undefined {
  const hasJoined = sessionStorage.getItem(JOINED) !== null;
  sessionStorage.removeItem(JOINED);
  return hasJoined ? '/organization?joined' : undefined;
}
