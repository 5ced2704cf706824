interface Call {
  method?: string;
  token?: string;
  /** Sent as a form under /v2/ and as JSON elsewhere. With it the method is POST unless another is given. */
  body?: object;
}

/** Calls a path and returns the status with the body. */
export async function call(
  { url }: { url: string },
  path: string,
  { token, body, method = body ? 'POST' : 'GET' }: Call = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const isForm = path.startsWith('/v2/');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isForm ? new URLSearchParams(Object.entries(body)) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}
