import { expecting, jsonBody, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { PROTOCOLS } from '../connection-records.ts';
import { PRESETS } from './attributes.ts';
import { MEMBER_ROLES } from './contract.ts';
import { flag } from './fields.ts';
import { ldapInput } from './ldap-settings.ts';
import { oidcInput } from './oidc-settings.ts';
import { samlInput } from './saml-settings.ts';

/** Enough for a table that people maintain. */
const MAX_GROUP_ROLES = 100;

const id = line(200);
const attributeName = line(256).exactOptional();

/** The fields that every protocol has and that a caller may change. */
const common = {
  name: line(100).exactOptional(),
  enabled: flag.exactOptional().meta({
    description: 'Whether people may log in; true by default. False ends the sessions that began here',
  }),
  preset: oneOf(PRESETS).exactOptional().meta({ description: 'Chooses the attribute names of a provider' }),
  attributes: jsonBody({
    email: attributeName,
    firstName: attributeName,
    lastName: attributeName,
    role: attributeName,
    department: attributeName,
  })
    .exactOptional()
    .meta({ description: 'The names under which the provider sends each attribute' }),
  group_roles: z
    .array(
      jsonBody({
        group: z
          .string(expecting('must be a string'))
          .trim()
          .min(1, { error: 'is required' })
          .max(1_024, { error: 'must be at most 1024 characters' }),
        role: oneOf(MEMBER_ROLES),
      }),
      expecting('must be an array of {group, role}'),
    )
    .max(MAX_GROUP_ROLES, { error: `must hold at most ${MAX_GROUP_ROLES} rows` })
    .exactOptional()
    .meta({
      description:
        'The roles of groups at the provider, by the values that it sends as `attributes.role`. The first row that matches counts',
    }),
  default_role: oneOf(MEMBER_ROLES)
    .exactOptional()
    .meta({ description: 'Of people whose provider names no role; Viewer by default' }),
  default_department_id: id
    .nullable()
    .exactOptional()
    .meta({ description: 'Of people whose provider names no department' }),
};

const identity = {
  organization_id: id,
  slug: z
    .string(expecting('must be a string'))
    .regex(/^[a-z0-9-]{3,40}$/, { error: 'must be 3 to 40 characters of a to z, 0 to 9 and -' })
    .meta({ description: 'Names the connection in addresses; unique, and never changed' }),
  name: line(100),
};

export const newConnection = z.discriminatedUnion(
  'protocol',
  [
    jsonBody({ protocol: z.literal('saml'), ...common, ...identity, saml: samlInput }),
    jsonBody({ protocol: z.literal('oidc'), ...common, ...identity, oidc: oidcInput }),
    jsonBody({ protocol: z.literal('ldap'), ...common, ...identity, ldap: ldapInput }),
  ],
  {
    error: ({ input }) => {
      if (input === null) return 'is required';
      const isObject = typeof input === 'object' && !Array.isArray(input);
      if (!isObject) return 'must be a JSON object';
      return (input as { protocol?: unknown }).protocol === undefined
        ? 'is required'
        : `must be one of ${PROTOCOLS.join(', ')}`;
    },
  },
);

const unchangeable = z.never({ error: 'cannot be changed' }).exactOptional();

export const connectionChanges = jsonBody({
  ...common,
  release: flag.exactOptional().meta({
    description: 'With `enabled: false`: ends the requirement of domains that keep no enabled connection',
  }),
  organization_id: unchangeable,
  protocol: unchangeable,
  slug: unchangeable,
  saml: samlInput.exactOptional(),
  oidc: oidcInput.exactOptional(),
  ldap: ldapInput.exactOptional(),
}).refine((fields) => Object.keys(fields).length > 0, { error: 'must contain a field to change' });
