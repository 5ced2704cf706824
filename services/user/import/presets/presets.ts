import { auth0 } from './auth0.ts';
import { clerk } from './clerk.ts';
import { cognito } from './cognito.ts';
import { firebase } from './firebase.ts';
import { gatehouse } from './gatehouse.ts';
import { keycloak } from './keycloak.ts';
import type { Preset } from './preset.ts';
import { supabase } from './supabase.ts';

/** The systems from which people are imported. */
export const PRESETS = {
  gatehouse,
  auth0,
  firebase,
  supabase,
  clerk,
  keycloak,
  cognito,
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
