/** A body that was parsed here, serialized again for a service. */
export const asJson = (body: unknown) => ({ type: 'application/json', text: JSON.stringify(body) });

export const asForm = (form: Record<string, string>) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(form).toString(),
});
