import { html } from '../../html.ts';
import { Badge, type Tone } from '../../parts/badge.ts';
import type { Person } from '../calls.ts';
import { texts } from '../texts.ts';

const TONES: Record<Person['state'], Tone> = {
  active: 'good',
  unverified: 'quiet',
  paused: 'quiet',
  disabled: 'bad',
};

/** The state of an account. */
export const State = ({ state }: Pick<Person, 'state'>) =>
  html`<${Badge} tone=${TONES[state]}>${texts.people.states[state]}<//>`;
