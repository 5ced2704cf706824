import { z } from 'zod';
import { getText, ResponseError } from '../../outbound/get-text.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { reasonOf } from '../../outbound/reason.ts';

/** What is wrong with the documents of an OpenID Connect provider; the message is for the administrator. */
export class DocumentError extends Error {
  /** Whether the provider could not be reached, or answered with something else. */
  readonly isUnavailable: boolean;

  constructor(
    message: string,
    { isUnavailable = false, cause }: { isUnavailable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isUnavailable = isUnavailable;
  }
}

const discoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  code_challenge_methods_supported: z.array(z.string()).optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
});
export type DiscoveryDocument = z.infer<typeof discoveryDocument>;

/**
 * Reads the discovery document of an issuer (OpenID Connect Discovery 1.0 §4).
 * @throws {DocumentError} when it cannot be read or belongs to another issuer.
 */
export async function readDiscoveryDocument(
  outbound: Pick<Outbound, 'agent'>,
  issuer: string,
): Promise<{ document: DiscoveryDocument; date: string | undefined }> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { json, date } = await getJson(outbound, url, 'the discovery document');
  const { success, data: document } = discoveryDocument.safeParse(json);
  if (!success) throw new DocumentError('the discovery document lacks a required field');
  if (document.issuer !== issuer)
    throw new DocumentError(`the discovery document is of the issuer ${document.issuer.slice(0, 200)}`);
  return { document, date };
}

/** Reads a JSON document. @throws {DocumentError} */
export async function getJson(
  outbound: Pick<Outbound, 'agent'>,
  url: string,
  what: string,
): Promise<{ json: unknown; date: string | undefined }> {
  try {
    const { text, date } = await getText(outbound, url);
    return { json: JSON.parse(text), date };
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new DocumentError(`${what} is not JSON`, { cause });
    const reason = cause instanceof ResponseError ? cause.message : reasonOf(cause as Error);
    throw new DocumentError(`${what} cannot be read: ${reason}`, { isUnavailable: true, cause });
  }
}
