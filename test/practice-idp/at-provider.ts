import { type Answered, send } from '../fixtures/http.ts';

/** Visits a page of a provider, or posts a form to it, and keeps the provider's cookies. */
export async function atProvider(
  address: string,
  form?: Record<string, string>,
  cookies = new Map<string, string>(),
): Promise<Answered> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answered = await send(address, {
    headers: { cookie },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  for (const line of answered.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
    cookies.set(name, value);
  }
  return answered;
}
