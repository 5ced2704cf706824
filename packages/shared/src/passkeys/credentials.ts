import { z } from 'zod';
import { expecting, requiredText } from '../http/fields.ts';

/** The answers of a browser, as `@simplewebauthn/browser` and `PublicKeyCredential.toJSON` write them. */

const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, expecting('must be an object'));

const base64url = requiredText.regex(/^[\w-]+$/, { error: 'must be base64url' });

const credential = {
  id: base64url.max(1_364, { error: 'must not be longer than 1023 bytes' }),
  rawId: base64url,
  type: z.literal('public-key', expecting('must be public-key')),
  // No extension is used.
  clientExtensionResults: object({}).default({}),
};

const exampleOf = (response: object) => ({
  id: 'hQ3mBkF7cY0pO2vX9sLzTg',
  rawId: 'hQ3mBkF7cY0pO2vX9sLzTg',
  type: 'public-key',
  clientExtensionResults: {},
  response,
});

export const ASSERTION_EXAMPLE = exampleOf({
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoi',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA',
  signature: 'MEUCIQDfMvZs5hA0VAhfEqsXBRB3oRcSYrTIHR9Yw',
  userHandle: 'Zr4x0qVbKz3nC1yXj6uQfPj0o8bq4oWc0i0b9i5x2m0',
});

/** The answer to `navigator.credentials.get()`. */
export const assertion = object({
  ...credential,
  response: object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.exactOptional(),
  }),
}).meta({
  description: 'The answer of `navigator.credentials.get()` as JSON',
  examples: [ASSERTION_EXAMPLE],
});

export type Assertion = z.output<typeof assertion>;

export const ATTESTATION_EXAMPLE = exampleOf({
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVi',
  transports: ['internal', 'hybrid'],
});

/** The answer to `navigator.credentials.create()`. */
export const attestation = object({
  ...credential,
  response: object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string(expecting('must be a string')), expecting('must be a list'))
      .max(20, { error: 'must not have more than 20 items' })
      .default([]),
  }),
}).meta({
  description: 'The answer of `navigator.credentials.create()` as JSON',
  examples: [ATTESTATION_EXAMPLE],
});

export type Attestation = z.output<typeof attestation>;
