/** The faults of a practice provider. The page /social turns each on and off. */
export const SWITCHES = {
  refuses: 'Refuses every login',
  slow: 'Answers too slowly',
  down: 'Answers every call with 503',
  'token-error': 'Exchanges no code for a token',
  unverified: 'Has not verified the address',
  changed: 'Has another address of the person',
  'no-email': 'Sends no address',
  recycled: 'Has given everyone the subject of Ada',
  renewed: 'Has given the addresses to new people',
  personal: 'Has personal accounts only (Google, Microsoft)',
} as const;

export type Switch = keyof typeof SWITCHES;
/** The switches that are on. */
export type Switches = Set<Switch>;

export const isSwitch = (name: string): name is Switch => Object.hasOwn(SWITCHES, name);
