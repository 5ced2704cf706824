import type { PracticeIdp } from '@gatehouse/practice-idp/practice-idp';

/** Starts the practice identity providers. Their modules load only here. @param gatehouse the gateway's address. */
export async function startPractice(gatehouse: string): Promise<PracticeIdp> {
  const [{ startPracticeIdp }, { createSigningKey }] = await Promise.all([
    import('@gatehouse/practice-idp/practice-idp'),
    import('@gatehouse/practice-idp/signing-key'),
  ]);
  return startPracticeIdp({ port: 0, ldapPort: 0, gatehouse, key: await createSigningKey() });
}
