import { mailedCode } from '../../fixtures/services.ts';
import type { Scenarios } from '../scenario.ts';
import { request, type World } from '../world.ts';

let people = 0;
const newEmail = () => {
  people += 1;
  return `signup${people}@example.com`;
};
const form = (fields: Record<string, string>) => new URLSearchParams(fields);

/** @returns the address of somebody who has signed up, with the mailed code. */
async function signedUp({ user, mailbox }: World) {
  const email = newEmail();
  await request(`${user}/v2/signup`, 'POST', form({ email, password: 'secret', name: 'Ada' }));
  return { email, otp: mailedCode(mailbox, email) };
}

export const account: Scenarios = {
  'POST /v2/signup': {
    async prepare({ user }) {
      const body = form({ email: newEmail(), password: 'secret', name: 'Ada' });
      return () => request(`${user}/v2/signup`, 'POST', body);
    },
  },
  'POST /v2/verify-otp': {
    async prepare(world) {
      const body = form(await signedUp(world));
      return () => request(`${world.user}/v2/verify-otp`, 'POST', body);
    },
    again: [400],
  },
  'POST /v2/forgot-password': {
    async prepare(world) {
      const { email } = await world.person();
      return () => request(`${world.user}/v2/forgot-password`, 'POST', form({ email }));
    },
  },
  'POST /v2/reset-password': {
    async prepare(world) {
      const { email } = await world.person();
      await request(`${world.user}/v2/forgot-password`, 'POST', form({ email }));
      const body = form({ email, otp: mailedCode(world.mailbox, email), new_password: 'another secret' });
      return () => request(`${world.user}/v2/reset-password`, 'POST', body);
    },
    again: [400],
  },
  'PATCH /api/v1/users/me': {
    async prepare(world) {
      const { call } = await world.person();
      return () => call('PATCH', '/api/v1/users/me', { name: 'Grace' });
    },
  },
  'POST /api/v1/users/me/password': {
    async prepare(world) {
      const { user, person } = world;
      const headers = (await person()).bearer();
      const body = { new_password: 'another secret' };
      return () => request(`${user}/api/v1/users/me/password`, 'POST', body, headers);
    },
  },
  'POST /api/v1/users/me/email': {
    async prepare(world) {
      const { call } = await world.person();
      const email = newEmail();
      return () => call('POST', '/api/v1/users/me/email', { email });
    },
  },
  'POST /api/v1/users/me/email/verify': {
    async prepare(world) {
      const { user, person, mailbox } = world;
      const headers = (await person()).bearer();
      const email = newEmail();
      await request(`${user}/api/v1/users/me/email`, 'POST', { email }, headers);
      const body = { code: mailedCode(mailbox, email) };
      return () => request(`${user}/api/v1/users/me/email/verify`, 'POST', body, headers);
    },
    // The address in the token is no longer that of the account.
    again: [400, 401],
  },
  'DELETE /api/v1/users/me': {
    async prepare(world) {
      const headers = (await world.person()).bearer();
      return () => request(`${world.user}/api/v1/users/me`, 'DELETE', undefined, headers);
    },
    // All sessions have ended.
    again: [401],
  },
  'DELETE /api/v1/users/me/sessions': {
    async prepare({ user, person }) {
      const headers = (await person()).bearer();
      return () => request(`${user}/api/v1/users/me/sessions`, 'DELETE', undefined, headers);
    },
  },
  'POST /api/v1/users/me/factors/totp': {
    async prepare({ person }) {
      const { call } = await person();
      return () => call('POST', '/api/v1/users/me/factors/totp', {});
    },
  },
  'POST /api/v1/users/me/keys': {
    async prepare({ person }) {
      const { call } = await person();
      return () => call('POST', '/api/v1/users/me/keys', { name: 'Robot', permissions: ['view profile'] });
    },
  },
  'PATCH /api/v1/users/me/keys/{key_id}': {
    async prepare({ person }) {
      const { call, path } = await keyOf(await person());
      return () => call('PATCH', path, { name: 'Crawler' });
    },
  },
  'POST /api/v1/users/me/keys/{key_id}/rotate': {
    async prepare({ person }) {
      const { call, path } = await keyOf(await person());
      return () => call('POST', `${path}/rotate`, { overlap_days: 1 });
    },
  },
  'DELETE /api/v1/users/me/keys/{key_id}': {
    async prepare({ person }) {
      const { call, path } = await keyOf(await person());
      return () => call('DELETE', path);
    },
    again: [404],
  },
};

async function keyOf({ call }: Awaited<ReturnType<World['person']>>) {
  const keys = '/api/v1/users/me/keys';
  const { body } = await call('POST', keys, { name: 'Robot', permissions: ['view profile'] });
  return { call, path: `${keys}/${body.key_id}` };
}

const bodyOf = (email: string) => ({ email, password: 'secret' });

export const sessions: Scenarios = {
  'POST /v2/login': {
    async prepare({ login, person }) {
      const { email } = await person();
      return () => request(`${login}/v2/login`, 'POST', form(bodyOf(email)));
    },
  },
  'POST /api/v1/auth/login': {
    async prepare({ login, person }) {
      const { email } = await person();
      return () => request(`${login}/api/v1/auth/login`, 'POST', bodyOf(email));
    },
  },
  'POST /auth/refresh': {
    async prepare({ login, person }) {
      const headers = (await person()).bearer();
      return () => request(`${login}/auth/refresh`, 'POST', undefined, headers);
    },
  },
  'POST /auth/logout': {
    async prepare({ login, person }) {
      const headers = (await person()).bearer();
      return () => request(`${login}/auth/logout`, 'POST', undefined, headers);
    },
    again: [401],
  },
  'POST /api/v1/auth/confirm': {
    async prepare({ login, person }) {
      const headers = (await person()).bearer();
      return () => request(`${login}/api/v1/auth/confirm`, 'POST', { password: 'secret' }, headers);
    },
  },
};
